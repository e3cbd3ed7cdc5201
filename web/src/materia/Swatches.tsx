// A colour picker.
import { COLORS, Orb } from "../ui/parts";

export function Swatches({
  value,
  disabled,
  onChange,
}: {
  value: string;
  disabled: boolean;
  onChange: (color: string) => void;
}) {
  return (
    <fieldset className="plain swatches" disabled={disabled}>
      <legend className="label">Colour</legend>
      <div className="row">
        {COLORS.map((color) => (
          <label key={color} title={color.replace("materia-color-", "")}>
            <input
              type="radio"
              className="sr"
              name="color"
              checked={value === color}
              onChange={() => onChange(color)}
            />
            <Orb color={color} large />
            <span className="sr">{color.replace("materia-color-", "")}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
