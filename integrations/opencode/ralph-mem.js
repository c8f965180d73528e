// Hands what happens in OpenCode to ralph-mem, and what ralph-mem remembers to the model. Written by `ralph-mem hosts add opencode`.
// Whatever goes wrong here, OpenCode goes on as if this file were not there.
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { homedir } from "node:os"

const DEADLINE_MS = 2000
const MOST_SESSIONS = 50 // whose answers are kept until their turns end
const LOADED = Symbol.for("ralph-mem") // a project's copy and a person's are one

function door() {
  const given = process.env.XDG_DATA_HOME
  const data = given && given.startsWith("/") ? given : `${homedir()}/.local/share`
  return readFileSync(`${data}/ralph-mem/plugin-folder`, "utf8").split("\n")[0] + "/hooks/run"
}

function asked(event, input) {
  return { words: [door(), event, "opencode"], text: JSON.stringify(input) }
}

// Returns what the model is to be told, nothing after the deadline.
function ask(event, input) {
  return new Promise((done) => {
    try {
      const { words, text } = asked(event, input)
      const child = spawn("sh", words, { stdio: ["pipe", "pipe", "ignore"], cwd: input.directory })
      const out = []
      const over = setTimeout(() => { child.kill("SIGKILL"); done("") }, DEADLINE_MS)
      child.on("error", () => done(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => out.push(piece))
      child.on("close", () => {
        clearTimeout(over)
        try {
          done(JSON.parse(Buffer.concat(out).toString("utf8")).hookSpecificOutput.additionalContext || "")
        } catch { done("") }
      })
      child.stdin.end(text)
    } catch { done("") }
  })
}

// For what ends: the process of `opencode run` is gone before anything else could be waited for.
function tell(event, input) {
  try {
    const { words, text } = asked(event, input)
    spawnSync("sh", words, { input: text, stdio: ["pipe", "ignore", "ignore"], timeout: DEADLINE_MS, killSignal: "SIGKILL" })
  } catch {}
}

export const RalphMem = async ({ directory }) => {
  if (globalThis[LOADED]) return {}
  globalThis[LOADED] = true
  const created = new Set() // sessions that began in this process
  const begun = new Set() // those whose start was told
  const compacted = new Set()
  const asking = new Set() // whose prompt is not answered yet: a compaction, too, ends in silence
  const answers = new Map() // session -> the id of the agent's last message, and what it says
  const agents = new Set() // messages of the agent
  let number = 0

  const with_ = (opencode, i, o = {}) => ({ opencode, directory, i, o })

  async function begin(session) {
    const source = compacted.delete(session) ? "compact" : begun.has(session) ? "" : created.has(session) ? "startup" : "resume"
    begun.add(session)
    return source && ask("session-start", with_("session.created", { sessionID: session }, { source }))
  }

  function note(part) {
    if (part?.type !== "text" || part.synthetic || !agents.has(part.messageID)) return
    const before = answers.get(part.sessionID)
    answers.delete(part.sessionID)
    answers.set(part.sessionID, { id: part.messageID, part: part.id, text: part.text, rest: before?.id === part.messageID && before.part !== part.id ? before.text + "\n" : before?.rest ?? "" })
    if (answers.size > MOST_SESSIONS) answers.delete(answers.keys().next().value)
  }

  return {
    "chat.message": async (i, o) => {
      try {
        asking.add(i.sessionID)
        const start = await begin(i.sessionID)
        const found = await ask("user-prompt-submit", with_("chat.message", i, o))
        const text = [start, found].filter(Boolean).join("\n\n")
        const last = o.parts[o.parts.length - 1]
        if (text) o.parts.push({ ...{ sessionID: last.sessionID, messageID: last.messageID }, id: `${last.id}m${number++}`, type: "text", synthetic: true, text })
      } catch {}
    },
    "tool.execute.after": async (i, o) => {
      ask("post-tool-use", with_("tool.execute.after", i, { output: o?.output, metadata: o?.metadata })) // nobody waits for it
    },
    "experimental.session.compacting": async (i) => {
      compacted.add(i.sessionID)
      await ask("pre-compact", with_("session.compacting", i))
    },
    event: async ({ event }) => {
      try {
        const { sessionID, info, part } = event.properties ?? {}
        if (event.type === "session.created" && !info?.parentID) created.add(sessionID ?? info.id)
        if (event.type === "message.updated" && info?.role === "assistant" && !info.summary) agents.add(info.id) // a summary is no answer
        if (event.type === "message.part.updated") note(part)
        if (event.type === "session.idle" && asking.delete(sessionID)) {
          const { rest = "", text = "" } = answers.get(sessionID) ?? {}
          answers.delete(sessionID)
          tell("stop", with_("session.idle", { sessionID }, { said: rest + text }))
        }
        if (event.type === "session.deleted" && begun.has(info?.id)) tell("session-end", with_("session.deleted", { sessionID: info.id }))
      } catch {}
    },
  }
}
