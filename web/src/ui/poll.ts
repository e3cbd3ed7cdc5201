// Looking again now and then, while somebody looks at the page.
import { useCallback, useEffect, useState } from "react";
import { complain } from "./toasts";

export function usePolled<T>(ask: () => Promise<T>, every = 2000): [T | null, () => void] {
  const [value, setValue] = useState<T | null>(null);
  const look = useCallback(() => { ask().then((next) => setValue((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next)), complain); }, [ask]);
  useEffect(() => {
    look();
    const timer = setInterval(() => { if (!document.hidden) ask().then((next) => setValue((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next)), () => {}); }, every);
    return () => clearInterval(timer);
  }, [ask, every, look]);
  return [value, look];
}
