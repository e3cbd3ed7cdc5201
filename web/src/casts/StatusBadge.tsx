// The status of a cast, as a badge.
import { STATUS } from "./words";

export function StatusBadge({ status }: { status: string }) {
  return (
    <span className={`badge ${STATUS[status] ?? ""}`}>
      {status === "running" && <span className="pulse" aria-hidden="true" />}
      {status}
    </span>
  );
}
