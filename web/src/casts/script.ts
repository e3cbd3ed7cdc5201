// The scripted agent that a cast was started with, so that it continues with the same one.

export const scriptOf = (cast: string) => localStorage.getItem(`script:${cast}`);

export function keepScript(cast: string, script: string | null) {
  if (script) localStorage.setItem(`script:${cast}`, script);
}
