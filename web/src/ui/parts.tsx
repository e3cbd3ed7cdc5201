// Small parts that every page uses. Native elements where the platform has them: dialogs, selects, buttons.
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import type { Issue } from "../types";
import { Icon } from "./icons";

export function Dialog({
  title,
  onClose,
  children,
  footer,
  wide,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog || dialog.open) return;
    dialog.showModal();
    // The browser would begin with the button that closes it.
    (
      dialog.querySelector<HTMLElement>(
        ".body textarea, .body select, .body input:not([type=radio], [type=checkbox])",
      ) ??
      dialog.querySelector<HTMLElement>("footer .btn.primary:not(:disabled)") ??
      dialog.querySelector<HTMLElement>("footer .btn")
    )?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      className={wide ? "wide" : undefined}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={onClose}
    >
      <header>
        <h2 id={id} className="grow">
          {title}
        </h2>
        <button type="button" className="btn quiet icon" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}

/** Brings what is chosen in a list before the person's eyes. */
export function useInView(chosen: string | undefined) {
  useEffect(() => {
    document
      .querySelector('.side .list [aria-current="true"]')
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
}

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

export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: ReactNode;
  children: ReactNode;
}) {
  return (
    <label className="field">
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

export function Check({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: ReactNode;
  checked: boolean;
  onChange: (on: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}

export function Tabs<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  return (
    <div className="tabs" role="group" aria-label={label}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          onClick={() => onChange(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function Issues({
  issues,
  onShow,
  place,
}: {
  issues: Issue[];
  onShow?: (issue: Issue) => void;
  place?: (issue: Issue) => string | null;
}) {
  if (issues.length === 0) return null;
  return (
    <ul className="issues" aria-label="Problems">
      {issues.map((issue, index) => (
        <li key={index} className={`issue ${issue.severity}`}>
          <span>
            <strong className="sr">{issue.severity}: </strong>
            {issue.message}
          </span>
          {issue.hint && <span className="hint">{issue.hint}</span>}
          {issue.path &&
            (onShow ? (
              <button type="button" onClick={() => onShow(issue)}>
                {[place?.(issue), issue.path].filter(Boolean).join(" · ")}
              </button>
            ) : (
              <code className="hint">{issue.path}</code>
            ))}
        </li>
      ))}
    </ul>
  );
}

const palette = ["green", "red", "yellow", "purple", "blue", "cyan", "white", "black-gray"];
export const COLORS = palette.map((name) => `materia-color-${name}`);

export function Orb({
  color,
  kind,
  large,
}: {
  color?: string | null;
  kind?: string;
  large?: boolean;
}) {
  const name =
    palette.find((one) => color === `materia-color-${one}` || color === one) ??
    (kind === "utility" ? "cyan" : "green");
  const ref = (element: HTMLElement | null) =>
    element?.style.setProperty("--orb", `var(--m-${name})`);
  return <span ref={ref} className={large ? "orb l" : "orb"} aria-hidden="true" />;
}

export function Empty({
  title,
  first,
  children,
}: {
  title: string;
  first?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      {first ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
