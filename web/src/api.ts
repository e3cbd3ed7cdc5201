// Talking to the server: JSON in, JSON out, failures as errors with a hint.
import type {
  About,
  ActiveAnswer,
  CheckAnswer,
  CheckRequest,
  Config,
  Conflict,
  Issue,
  SaveAnswer,
  SaveRequest,
  TrialAnswer,
  TrialRequest,
} from "./types";

export class ApiError extends Error {
  code: string;
  hint: string | null;
  status: number;
  issues: Issue[];
  conflict: Conflict | null;
  constructor(
    status: number,
    body: {
      error?: { code?: string; message?: string; hint?: string; issues?: Issue[] };
      conflict?: Conflict;
    },
  ) {
    super(body.error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = body.error?.code ?? "unknown";
    this.hint = body.error?.hint ?? null;
    this.issues = body.error?.issues ?? [];
    this.conflict = body.conflict ?? null;
  }
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, {
      error: {
        code: "offline",
        message: "the server does not answer",
        hint: "is `materia ui` still running?",
      },
    });
  }
  const text = await response.text();
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    document = {};
  }
  if (!response.ok) throw new ApiError(response.status, document as object);
  return document as T;
}

export const api = {
  about: () => call<About>("GET", "/about"),
  config: () => call<Config>("GET", "/config"),
  check: (request: CheckRequest) => call<CheckAnswer>("POST", "/config/check", request),
  save: (request: SaveRequest) => call<SaveAnswer>("POST", "/config/save", request),
  active: (name: string) => call<ActiveAnswer>("POST", "/config/active", { name }),
  trial: (request: TrialRequest) => call<TrialAnswer>("POST", "/trial", request),
};
