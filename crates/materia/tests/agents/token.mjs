// The conformance suite has no option for a token, so this module adds it to every request.
import { subscribe } from "node:diagnostics_channel";

const token = `Bearer ${process.env.MATERIA_TOKEN}`;
subscribe("undici:request:create", ({ request }) => request.addHeader("authorization", token));
