// Icons: one stroke, 18 px, inlined so that nothing is loaded from other sites.
import type { ReactNode } from "react";

const shapes: Record<string, ReactNode> = {
  casts: (
    <>
      <path d="M4 5.5h6M4 9h10M4 12.5h7" />
      <circle cx="13.5" cy="5.5" r="1.6" />
    </>
  ),
  loadouts: (
    <>
      <circle cx="4.5" cy="9" r="2" />
      <circle cx="13.5" cy="4.5" r="2" />
      <circle cx="13.5" cy="13.5" r="2" />
      <path d="M6.3 8.1l5.4-2.7M6.3 9.9l5.4 2.7" />
    </>
  ),
  materia: (
    <>
      <circle cx="9" cy="9" r="6" />
      <path d="M6.4 7.2c.6-1.2 1.7-1.9 3-2" />
    </>
  ),
  actors: (
    <>
      <circle cx="6.5" cy="6.2" r="2.3" />
      <path d="M2.5 14c.4-2.6 1.9-4 4-4s3.6 1.4 4 4" />
      <path d="M11.5 4.2a2.2 2.2 0 010 4M12.6 10.3c1.6.5 2.6 1.7 2.9 3.7" />
    </>
  ),
  quests: (
    <>
      <rect x="3.5" y="3" width="11" height="12" rx="2" />
      <path d="M6.3 6.8l1 1 1.7-1.9M6.3 11.3l1 1 1.7-1.9M11 7.3h1.2M11 11.8h1.2" />
    </>
  ),
  inbox: (
    <>
      <path d="M3 10l2-5.5h8L15 10v4H3z" />
      <path d="M3 10h3.3l.9 1.8h3.6l.9-1.8H15" />
    </>
  ),
  plus: <path d="M9 4v10M4 9h10" />,
  more: (
    <>
      <circle cx="4" cy="9" r=".8" />
      <circle cx="9" cy="9" r=".8" />
      <circle cx="14" cy="9" r=".8" />
    </>
  ),
  undo: <path d="M6.5 4L3.5 7l3 3M3.8 7H11a3.5 3.5 0 010 7H8" />,
  redo: <path d="M11.5 4l3 3-3 3M14.2 7H7a3.5 3.5 0 000 7h3" />,
  layout: (
    <>
      <rect x="3" y="3.5" width="4.5" height="4" rx="1" />
      <rect x="10.5" y="10.5" width="4.5" height="4" rx="1" />
      <path d="M7.5 5.5h3.2a2 2 0 012 2v3" />
    </>
  ),
  close: <path d="M4.5 4.5l9 9M13.5 4.5l-9 9" />,
  up: <path d="M9 14V4.5M5 8.5l4-4 4 4" />,
  down: <path d="M9 4v9.5M5 9.5l4 4 4-4" />,
  trash: <path d="M4 5.5h10M7.3 5.5V4h3.4v1.5M5.3 5.5l.6 9h6.2l.6-9" />,
  loop: (
    <path d="M5.5 6.2A4.6 4.6 0 0113.4 8M12.5 11.8A4.6 4.6 0 014.6 10M13.6 5v3.1h-3M4.4 13V9.9h3" />
  ),
  play: <path d="M6 4.2l7.5 4.8L6 13.8z" />,
  stop: <rect x="5" y="5" width="8" height="8" rx="1.4" />,
  lock: (
    <>
      <rect x="4.5" y="8" width="9" height="6.5" rx="1.5" />
      <path d="M6.5 8V6a2.5 2.5 0 015 0v2" />
    </>
  ),
  check: <path d="M4 9.5l3.3 3.3L14 5.5" />,
  copy: (
    <>
      <rect x="6" y="6" width="8.5" height="8.5" rx="1.6" />
      <path d="M3.8 11.5V5.2c0-.8.6-1.4 1.4-1.4h6.3" />
    </>
  ),
  warn: (
    <>
      <path d="M9 3.5l6.2 11H2.8z" />
      <path d="M9 8v2.8M9 12.7v.1" />
    </>
  ),
  sun: (
    <>
      <circle cx="9" cy="9" r="3" />
      <path d="M9 2.5v1.6M9 13.9v1.6M2.5 9h1.6M13.9 9h1.6" />
      <path d="M4.4 4.4l1.1 1.1M12.5 12.5l1.1 1.1M4.4 13.6l1.1-1.1M12.5 5.5l1.1-1.1" />
    </>
  ),
  moon: <path d="M14.5 10.8A6 6 0 017.2 3.5a6 6 0 107.3 7.3z" />,
  auto: (
    <>
      <circle cx="9" cy="9" r="6" />
      <path d="M9 3v12" />
      <path d="M9 3a6 6 0 010 12z" fill="currentColor" />
    </>
  ),
  fork: (
    <>
      <circle cx="5" cy="4.5" r="1.7" />
      <circle cx="13" cy="4.5" r="1.7" />
      <circle cx="9" cy="13.5" r="1.7" />
      <path d="M5 6.2c0 3 4 2.4 4 5.6M13 6.2c0 3-4 2.4-4 5.6" />
    </>
  ),
  send: <path d="M3 9l12-5-4.5 11-2.3-4.2z" />,
};

export function Icon({ name, size = 18 }: { name: keyof typeof shapes | string; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name] ?? null}
    </svg>
  );
}
