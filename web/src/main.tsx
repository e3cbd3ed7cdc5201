// The application: the path selects the page.
import { Component, type ReactNode, StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/loadout.css";
import "./styles/pages.css";
import { ActorsPage } from "./actors/Page";
import { api } from "./api";
import { InboxPage } from "./casts/Inbox";
import { CastsPage } from "./casts/Page";
import { type Look, look } from "./live";
import { LoadoutPage } from "./loadout/Page";
import { MateriaPage } from "./materia/Page";
import { useNeeds } from "./needs";
import { QuestsPage } from "./quests/Page";
import { usePlace } from "./router";
import type { AboutReport } from "./types";
import { Icon } from "./ui/icons";
import { Empty } from "./ui/parts";
import { complain, Toasts } from "./ui/toasts";

const PAGES = [
  ["casts", "Casts", "casts"],
  ["loadouts", "Loadouts", "loadouts"],
  ["materia", "Materia", "materia"],
  ["quests", "Quests", "quests"],
  ["actors", "Actors", "actors"],
  ["inbox", "Needs you", "inbox"],
] as const;

function App() {
  const place = usePlace();
  const page = PAGES.some(([name]) => name === place[0]) ? place[0] : PAGES[0][0];
  const [about, setAbout] = useState<AboutReport | null>(null);
  useEffect(() => {
    api.about().then(setAbout, complain);
  }, []);
  const waiting = useNeeds().length;
  useEffect(() => look(looked(page, place[1])), [page, place[1]]);
  useEffect(() => {
    const name = PAGES.find(([one]) => one === page)?.[1];
    document.title = `${waiting ? `(${waiting}) ` : ""}${[place[1], name].filter(Boolean).join(" · ")} · materia`;
  }, [page, place, waiting]);
  return (
    <div className="frame">
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link is a link, and no address has a fragment */}
      <a
        className="btn skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <header className="rail">
        <a className="brand" href="/">
          <img src="/icon.svg" alt="" width="26" height="26" />
          <strong>materia</strong>
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([name, label, icon]) => (
            <a key={name} href={`/${name}`} aria-current={name === page ? "page" : undefined}>
              <Icon name={icon} />
              {label}
              {name === "inbox" && waiting > 0 && (
                <span className="count">
                  {waiting}
                  <span className="sr"> waiting</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <div className="foot">
          <span className="where" title={about?.project}>
            {about?.projectName ?? " "}
          </span>
          <Theme />
        </div>
      </header>
      <main className="main" id="main" tabIndex={-1}>
        <Guard key={page}>
          {page === "casts" && <CastsPage id={place[1]} />}
          {page === "inbox" && <InboxPage />}
          {page === "actors" && <ActorsPage id={place[1]} />}
          {page === "quests" && <QuestsPage />}
          {page === "loadouts" && <LoadoutPage name={place[1]} />}
          {page === "materia" && <MateriaPage name={place[1]} />}
        </Guard>
      </main>
      <Toasts />
    </div>
  );
}

/** The live updates that a page needs. */
function looked(page: string | undefined, name: string | undefined): Look {
  if (page === "casts" && name) return { cast: name };
  if (page === "quests") return { also: ["quests"] };
  if (page !== "actors") return {};
  if (name === "@library") return { also: ["runs", "library"] };
  return name ? { run: name, also: ["runs"] } : { also: ["runs"] };
}

/** Shows the error of a page that fails; the others keep working. */
class Guard extends Component<{ children: ReactNode }, { failed: string | null }> {
  override state = { failed: null as string | null };
  static getDerivedStateFromError(error: unknown) {
    return { failed: String((error as Error).message ?? error) };
  }
  override render() {
    return this.state.failed === null ? (
      this.props.children
    ) : (
      <Empty first title="This page could not be shown">
        <p>{this.state.failed}</p>
        <button type="button" className="btn primary" onClick={() => location.reload()}>
          Load it again
        </button>
      </Empty>
    );
  }
}

type Choice = "auto" | "light" | "dark";

function Theme() {
  const [choice, setChoice] = useState<Choice>(
    () => (localStorage.getItem("theme") as Choice | null) ?? "auto",
  );
  useEffect(() => {
    if (choice === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    localStorage.setItem("theme", choice);
  }, [choice]);
  const next: Record<Choice, Choice> = { auto: "light", light: "dark", dark: "auto" };
  const icon = { auto: "auto", light: "sun", dark: "moon" }[choice];
  return (
    <button type="button" className="btn quiet small" onClick={() => setChoice(next[choice])}>
      <Icon name={icon} size={16} />
      {{ auto: "As the system", light: "Light", dark: "Dark" }[choice]}
    </button>
  );
}

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
