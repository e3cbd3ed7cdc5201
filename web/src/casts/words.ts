// Formats amounts and times.
export const STATUS: Record<string, string> = {
  running: "info",
  paused: "warn",
  interrupted: "warn",
  complete: "good",
  failed: "bad",
  aborted: "",
  unreadable: "bad",
};

export function tokens(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(2))} M`;
  if (count >= 10_000) return `${Math.round(count / 1000)} k`;
  if (count >= 1000) return `${(count / 1000).toFixed(1)} k`;
  return String(count);
}

export const money = (amount: number) =>
  amount === 0
    ? "$0"
    : amount < 0.01
      ? "<$0.01"
      : `$${Number.isInteger(amount) ? amount : amount.toFixed(2)}`;

export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function moment(at: string | null): string {
  if (!at) return "";
  const then = new Date(at);
  const today = new Date().toDateString() === then.toDateString();
  return today
    ? then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })
    : then.toLocaleDateString([], {
        month: "short",
        day: "numeric",
        hour: "2-digit",
        minute: "2-digit",
        hour12: false,
      });
}

export const clock = (at: string) =>
  new Date(at).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
