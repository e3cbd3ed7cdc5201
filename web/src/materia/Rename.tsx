// The dialog that renames a materia.
import { useState } from "react";
import { go, path } from "../router";
import { Dialog, Field } from "../ui/parts";
import { drafts, fresh, type Value } from "./drafts";

export function Rename({
  name,
  names,
  value,
  onClose,
}: {
  name: string;
  names: string[];
  value: Value;
  onClose: () => void;
}) {
  const [wish, setWish] = useState(name);
  const taken = wish !== name && names.includes(wish);
  const rename = () => {
    fresh.set(({ [name]: _old, ...rest }) => ({ ...rest, [wish]: true }));
    drafts.set(({ [name]: _old, ...rest }) => ({ ...rest, [wish]: value }));
    go(path("materia", wish), true);
    onClose();
  };
  return (
    <Dialog
      title={`Rename “${name}”`}
      onClose={onClose}
      footer={
        <button
          type="button"
          className="btn primary"
          disabled={!wish.trim() || taken}
          onClick={rename}
        >
          Rename
        </button>
      }
    >
      <Field label="Name" hint={taken ? "there is one of that name" : undefined}>
        <input
          className="input mono"
          autoFocus
          value={wish}
          onChange={(event) => setWish(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
