// A button that opens a menu of actions.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "./icons";

export type MenuItem = {
  label: string;
  icon?: string;
  run: () => void;
  disabled?: boolean;
  danger?: boolean;
};

export function Menu({
  label,
  items,
  children,
}: {
  label: string;
  items: MenuItem[];
  children?: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    root.current?.querySelector<HTMLButtonElement>("ul button:not(:disabled)")?.focus();
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const keys = (event: React.KeyboardEvent) => {
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      setOpen(false);
      root.current?.querySelector<HTMLButtonElement>("button")?.focus();
    }
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const all = [
        ...(root.current?.querySelectorAll<HTMLButtonElement>("ul button:not(:disabled)") ?? []),
      ];
      const at = all.indexOf(document.activeElement as HTMLButtonElement);
      all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length]?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys that are pressed on the buttons inside
    <div className="menu" ref={root} onKeyDown={keys}>
      <button
        type="button"
        className={children ? "btn" : "btn quiet icon"}
        aria-label={children ? undefined : label}
        aria-haspopup="true"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name="more" />}
      </button>
      {open && (
        <ul>
          {items.map((item) => (
            <li key={item.label}>
              <button
                type="button"
                className={item.danger ? "danger" : undefined}
                disabled={item.disabled}
                onClick={() => {
                  setOpen(false);
                  item.run();
                }}
              >
                {item.icon && <Icon name={item.icon} size={16} />}
                {item.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
