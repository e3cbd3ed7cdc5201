// Positions in a JSON text: of each path, and of the first syntax error.

export type Wrong = { at: number; message: string };
export type Read = { places: Map<string, number>; wrong: Wrong | null };

/** Serializes the steps of a path unambiguously: `sockets`, `a.b` and `0` stay distinct. */
export const joined = (steps: (string | number)[]) => JSON.stringify(steps);

/** Parses a text as JSON and records where every value begins; stops at the first error. */
export function read(text: string): Read {
  const places = new Map<string, number>();
  let at = 0;
  const fail = (message: string): never => {
    throw { at, message } satisfies Wrong;
  };
  const space = () => {
    while (/[ \t\n\r]/.test(text[at] ?? "")) at += 1;
  };
  const found = () => (at >= text.length ? "the text ends" : `“${text[at]}” stands`);
  const string = (what: string): string => {
    if (text[at] !== '"') fail(`${found()} where ${what} should begin with a quote`);
    const begin = at;
    at += 1;
    while (text[at] !== '"') {
      if (at >= text.length || text[at] === "\n") {
        at = begin;
        fail("this text in quotes does not end on its line");
      }
      at += text[at] === "\\" ? 2 : 1;
    }
    at += 1;
    try {
      return JSON.parse(text.slice(begin, at)) as string;
    } catch {
      at = begin;
      return fail("this text in quotes has a character or an escape that JSON does not know");
    }
  };
  const parts = (end: string, one: (number: number) => void) => {
    at += 1;
    space();
    if (text[at] === end) {
      at += 1;
      return;
    }
    for (let number = 0; ; number += 1) {
      space();
      if (number > 0 && text[at] === end) fail(`a comma stands before this ${end}`);
      one(number);
      space();
      if (text[at] === end) {
        at += 1;
        return;
      }
      if (text[at] !== ",") fail(`${found()} where a comma or ${end} should`);
      at += 1;
    }
  };
  const value = (steps: (string | number)[]) => {
    space();
    places.set(joined(steps), at);
    const first = text[at];
    if (first === "{") {
      parts("}", () => {
        const begin = at;
        const key = string("a name");
        space();
        if (text[at] !== ":") fail(`${found()} where a colon should`);
        at += 1;
        value([...steps, key]);
        // Use the position of the key, which is what users look for, not of its value.
        places.set(joined([...steps, key]), begin);
      });
    } else if (first === "[") parts("]", (number) => value([...steps, number]));
    else if (first === '"') string("a text");
    else {
      const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
        text.slice(at, at + 64),
      )?.[0];
      if (word === undefined) return fail(`${found()} where a value should`);
      at += word.length;
    }
  };
  try {
    value([]);
    space();
    if (at < text.length) fail(`${found()} behind the end`);
  } catch (wrong) {
    if (wrong instanceof Error) throw wrong;
    return { places, wrong: wrong as Wrong };
  }
  return { places, wrong: null };
}

/** Line and column of a position, counted from 1. */
export function lineOf(text: string, at: number): [number, number] {
  const before = text.slice(0, at).split("\n");
  return [before.length, (before.at(-1)?.length ?? 0) + 1];
}

/** The position of a path, or of its nearest ancestor in the text. */
export function placeOf(places: Map<string, number>, steps: (string | number)[]): number | null {
  for (let length = steps.length; length > 0; length -= 1) {
    const at = places.get(joined(steps.slice(0, length)));
    if (at !== undefined) return at;
  }
  return null;
}
