// Small components that every page uses. Native elements where they exist: dialogs, selects,
// buttons.
import { Fragment, type ReactNode, useEffect, useId, useRef } from "react";
import type { Finding } from "../types";
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
    // The browser would focus the close button first.
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

/** Scrolls the selected item of a list into view. */
export function useInView(chosen: string | undefined) {
  useEffect(() => {
    if (chosen === undefined) return;
    document
      .querySelector('.side .list [aria-current="true"]')
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
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
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the parts of a form
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
  issues: Finding[];
  onShow?: (issue: Finding) => void;
  place?: (issue: Finding) => string | null;
}) {
  if (issues.length === 0) return null;
  return (
    <ul className="issues" aria-label="Problems">
      {byPlace(issues, (issue) => (
        <li className={`issue ${issue.severity}`}>
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

/** A part of the page with its own scroll bar. */
export function ScrollArea({
  label,
  className,
  busy,
  children,
}: {
  label: string;
  className: string;
  busy?: boolean;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, a keyboard cannot scroll what has nothing to press
    <section className={className} tabIndex={0} aria-label={label} aria-busy={busy}>
      {children}
    </section>
  );
}

/** Preformatted text, with its own scroll bar if it is long. */
export function Output({ className, children }: { className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, a keyboard cannot scroll what has nothing to press
    <pre className={className} tabIndex={0}>
      {children}
    </pre>
  );
}

/** Elements of a list, identified only by their position. */
export function byPlace<T>(
  all: readonly T[],
  show: (one: T, at: number) => ReactNode,
): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be equal in everything else
  return all.map((one, at) => <Fragment key={at}>{show(one, at)}</Fragment>);
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
