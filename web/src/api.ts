// The client of the server's API: one function per route; failures are errors with a hint.
import type {
  AboutReport,
  ActiveLoadoutReport,
  ActiveRequest,
  ArtifactReport,
  BudgetReport,
  BudgetRequest,
  CastActionRequest,
  CastDetailReport,
  CastListReport,
  CastReport,
  CheckReport,
  CheckRequest,
  ConflictReport,
  DefinitionsReport,
  ErrorReport,
  Finding,
  ForkReport,
  ForkRequest,
  MessageReport,
  MessageRequest,
  NeedsReport,
  OkReport,
  QuestChangeRequest,
  QuestListReport,
  QuestReport,
  QuestRequest,
  QuestRunRequest,
  SaveConflict,
  SaveReport,
  SaveRequest,
  StartRequest,
  ToolChangeReport,
  ToolReport,
  ToolRequest,
  TrialReport,
  TrialRequest,
  TrustReport,
  TrustRequest,
} from "./types";

export class ApiError extends Error {
  code: string;
  hint: string | null;
  status: number;
  issues: Finding[];
  conflict: SaveConflict | null;
  constructor(status: number, body: Partial<ErrorReport & ConflictReport>) {
    super(body.error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = body.error?.code ?? "unknown";
    this.hint = body.error?.hint ?? null;
    this.issues = body.error?.issues ?? [];
    this.conflict = body.conflict ?? null;
  }
}

const OFFLINE: ErrorReport = {
  ok: false,
  error: {
    code: "offline",
    message: "the server does not answer",
    hint: "is `materia ui` still running?",
  },
};

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, OFFLINE);
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

const get = <T>(path: string) => call<T>("GET", path);
const post = <T>(path: string, body: object) => call<T>("POST", path, body);
const part = encodeURIComponent;

/** The ways to continue or end a cast. */
export type CastAction = "continue" | "resume" | "recast" | "revive" | "abort";

export const api = {
  about: () => get<AboutReport>("/about"),

  config: () => get<DefinitionsReport>("/config"),
  check: (request: CheckRequest) => post<CheckReport>("/config/check", request),
  save: (request: SaveRequest) => post<SaveReport>("/config/save", request),
  active: (request: ActiveRequest) => post<ActiveLoadoutReport>("/config/active", request),
  trial: (request: TrialRequest) => post<TrialReport>("/trial", request),
  trust: () => get<TrustReport>("/trust"),
  grantTrust: (request: TrustRequest) => post<TrustReport>("/trust", request),
  needs: () => get<NeedsReport>("/needs"),

  casts: () => get<CastListReport>("/casts"),
  startCast: (request: StartRequest) => post<CastReport>("/casts", request),
  cast: (id: string) => get<CastDetailReport>(`/casts/${part(id)}`),
  artifact: (id: string, file: string) =>
    get<ArtifactReport>(`/casts/${part(id)}/artifact?path=${part(file)}`),
  fork: (id: string, request: ForkRequest) => post<ForkReport>(`/casts/${part(id)}/fork`, request),
  raiseBudget: (id: string, request: BudgetRequest) =>
    post<BudgetReport>(`/casts/${part(id)}/budget`, request),
  steer: (id: string, action: CastAction, request: CastActionRequest) =>
    post<OkReport>(`/casts/${part(id)}/${action}`, request),

  message: (request: MessageRequest) => post<MessageReport>("/message", request),
  tool: (name: string) => get<ToolReport>(`/tools/${part(name)}`),
  registerTool: (request: ToolRequest) => post<ToolChangeReport>("/tools", request),
  removeTool: (name: string) => post<ToolChangeReport>(`/tools/${part(name)}/remove`, {}),

  addQuest: (request: QuestRequest) => post<QuestReport>("/quests", request),
  changeQuest: (id: string, request: QuestChangeRequest) =>
    post<QuestReport>(`/quests/${part(id)}`, request),
  runQuests: (request: QuestRunRequest) => post<OkReport>("/quests/run", request),
  stopQuests: () => post<QuestListReport>("/quests/stop", {}),
};
