import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { portFailures } from '#test/failures/rows/failure-rows.ts'
import type { Dependency, FailureRow, Fault, Outcome } from '#test/failures/rows/failure.ts'
import { fetch, isAlive, readEvents } from '#launcher/testdata/launch.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import { needs } from '#test/harness/find-server.ts'
import type { RecordedRun } from './recorded-run.ts'
import { startFailurePlatform } from './stage.ts'
import type { FailurePlatform } from './stage.ts'

// Of a machine that runs many tests at once, beside the time limits of the launcher.
const patienceMs = 120_000

interface Cell {
  readonly name: string
  readonly listener: string
  readonly row: FailureRow
}

const cells: readonly Cell[] = portFailures.flatMap(({ port, rows }) =>
  rows.map((row) => ({ name: `${port.name} ${row.operation}`, listener: port.name, row })),
)

// One platform for all cells. The rows of one dependency and fault are requested at once.
test(
  'H4, H5, B5, E4, P4: every cell of launcher-failures.md',
  {
    ...needs('kube-apiserver', 'etcd', 'postgres', 'initdb', 'nats-server', 'redis-server', 'versitygw'),
    timeout: 900_000,
  },
  async (t) => {
    const platform = await startFailurePlatform(t)
    const launchers = { shared: await platform.launch(), container: await platform.launch(true) }
    const dependencies = [...new Set(cells.map(({ row }) => row.dependency))]
    for (const dependency of dependencies)
      for (const fault of ['killed', 'frozen', 'slow'] as const)
        await t.test(`${dependency} ${fault}`, (sub) => produce(sub, { platform, launchers, dependency, fault }))
    for (const { pid } of Object.values(launchers)) assert.ok(isAlive(pid))
  },
)

interface Phase {
  readonly platform: FailurePlatform
  readonly launchers: Readonly<Record<'shared' | 'container', LaunchedProcess>>
  readonly dependency: Dependency
  readonly fault: Fault
}

interface LaunchedCell extends Cell {
  readonly launcher: LaunchedProcess
}

async function produce(t: TestContext, { platform, launchers, dependency, fault }: Phase): Promise<void> {
  const { shared, container } = launchers
  const launcherOf = async ({ fresh, container: apart }: FailureRow): Promise<LaunchedProcess> =>
    apart === true ? container : fresh === true ? platform.launch() : shared
  const own: readonly LaunchedCell[] = await Promise.all(
    cells
      .filter(({ row }) => row.dependency === dependency && row.starts !== true)
      .map(async (cell) => ({ ...cell, launcher: await launcherOf(cell.row) })),
  )
  const starting = cells.filter(({ row }) => row.dependency === dependency && row.starts === true)
  const served = own.filter(({ row }) => row.fresh !== true)
  const answersAsBefore = ({ launcher, listener, row }: LaunchedCell) =>
    untilAnswered(async () => {
      const { answer, run } = await ask(platform, launcher, listener, row)
      await run?.end()
      return answer
    }, row.healthy)
  await Promise.all(served.map(answersAsBefore))
  const faults = platform.faults[dependency]
  await faults.begin(fault)
  const started = await Promise.all(starting.map(async (cell) => ({ ...cell, launcher: await platform.launch() })))
  const all = [...own, ...started]
  const shown = await Promise.all(all.map((cell) => show(platform, cell, fault)))
  await faults.end()
  await Promise.all(shown.map(({ run, expected }) => assertRecording(run, expected)))
  await Promise.all(all.map(answersAsBefore))
  for (const { launcher } of all) assert.ok(isAlive(launcher.pid))
  t.diagnostic(all.map(({ name }) => name).join(', '))
}

async function show(
  platform: FailurePlatform,
  { name, launcher, listener, row }: LaunchedCell,
  fault: Fault,
): Promise<{ readonly run: RecordedRun | undefined; readonly expected: Outcome }> {
  const expected = row[fault]
  const asking = () => ask(platform, launcher, listener, row)
  if (expected.onceNoticed === true) await untilAnswered(async () => (await asking()).answer, expected.status)
  const since = performance.now()
  const asked = await asking()
  const { status, code } = asked.answer
  const what = `${name}, ${row.dependency} ${fault}`
  assert.deepEqual({ status, code }, { status: expected.status, code: expected.code }, what)
  assertInTime(expected, performance.now() - since, name)
  if (expected.run !== undefined) assert.equal(await asked.runEnds(), expected.run, what)
  if (expected.recording === 'incomplete') await asked.run?.partIsLost()
  return { run: asked.run, expected }
}

// The end of the run is stored, or it was lost as well, with every part.
async function assertRecording(run: RecordedRun | undefined, { recording }: Outcome): Promise<void> {
  if (run === undefined || recording === undefined) return
  await run.end()
  const isExpected = async (): Promise<boolean> => {
    const { complete, problems } = (await run.recording()) ?? {}
    if (recording === 'complete') return complete === true
    return (
      complete === false && problems?.some(({ code, sequence }) => code === 'missing' || sequence === null) === true
    )
  }
  await untilAnswered(async () => ({ status: (await isExpected()) ? 200 : 404 }), 200)
}

function assertInTime({ within }: Outcome, tookMs: number, name: string): void {
  if (within !== undefined) assert.ok(tookMs < within * 1000 + patienceMs / 2, `${name} took ${tookMs} ms`)
}

interface Asked {
  readonly answer: { readonly status: number; readonly code: string | undefined }
  /** State in which the run of the request ends. */
  runEnds(): Promise<string>
  /** The recorded run that the request belongs to. */
  readonly run: RecordedRun | undefined
}

async function ask(
  { stage, startRun }: FailurePlatform,
  launcher: LaunchedProcess,
  listener: string,
  { request }: FailureRow,
): Promise<Asked> {
  let run: RecordedRun | undefined
  const recordedRun = async () => {
    run = await startRun(launcher)
    return { 'x-mesh-run-id': run.id }
  }
  const {
    method,
    path,
    body,
    headers = {},
  } = typeof request === 'function' ? await request({ ...stage, recordedRun }) : request
  const { port } = await launcher.line((line) => line['listener'] === listener)
  const url = `${listener === 'invoke' ? 'https' : 'http'}://127.0.0.1:${String(port)}`
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  })
  return {
    run,
    answer: { status: answer.status, code: codeOf(await answer.text()) },
    runEnds: async () => {
      const events = `${url}/runs/${headers['x-mesh-run-id']}`
      await readEvents(`${events}/events`, { headers })
      const ended = await fetch(events, { headers })
      return ((await ended.json()) as { state: string }).state
    },
  }
}

// `{"error": code}` of the launcher, `{"error": {"code"}}` in the form of OpenAI, or `{"reason"}` of a probe.
function codeOf(text: string): string | undefined {
  try {
    const { error, reason } = JSON.parse(text) as { error?: string | { code?: string }; reason?: string }
    return typeof error === 'string' ? error : (error?.code ?? reason)
  } catch {
    return undefined
  }
}

async function untilAnswered(asking: () => Promise<{ readonly status: number }>, status: number): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    const answer = await asking().catch((error: unknown) => ({ status: 0, error: String(error) }))
    if (answer.status === status) return
    assert.ok(performance.now() < end, `${status} expected: ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
