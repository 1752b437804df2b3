import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { portFailures } from '#launcher/listeners/failure-rows.ts'
import type { Dependency, FailureRow, Fault, Outcome } from '#launcher/listeners/failure.ts'
import { fetch, isAlive } from '#launcher/testdata/launch.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import type { LinkState } from '#test/chaos/proxy.ts'
import { needs } from '#test/harness/find-server.ts'
import { startFailurePlatform } from './stage.ts'
import type { FailurePlatform } from './stage.ts'

const states: Readonly<Record<Fault, LinkState>> = {
  killed: { refuse: true },
  frozen: { swallow: true },
  slow: { delayMs: 100 },
}
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
  'H4, H5, B5: every cell of launcher-failures.md',
  { ...needs('kube-apiserver', 'etcd', 'postgres', 'initdb', 'nats-server', 'redis-server'), timeout: 900_000 },
  async (t) => {
    const platform = await startFailurePlatform(t)
    const shared = await platform.launch()
    const dependencies = [...new Set(cells.map(({ row }) => row.dependency))]
    for (const dependency of dependencies)
      for (const fault of ['killed', 'frozen', 'slow'] as const)
        await t.test(`${dependency} ${fault}`, (sub) => produce(sub, { platform, shared, dependency, fault }))
    assert.ok(isAlive(shared.pid))
  },
)

interface Phase {
  readonly platform: FailurePlatform
  readonly shared: LaunchedProcess
  readonly dependency: Dependency
  readonly fault: Fault
}

async function produce(t: TestContext, { platform, shared, dependency, fault }: Phase): Promise<void> {
  const link = platform.links[dependency]
  assert.ok(link, `the stage has no link to the ${dependency}`)
  const own = await Promise.all(
    cells
      .filter(({ row }) => row.dependency === dependency)
      .map(async (cell) => ({ ...cell, launcher: cell.row.fresh === true ? await platform.launch() : shared })),
  )
  const served = own.filter(({ row }) => row.fresh !== true)
  const answersAsBefore = ({ launcher, listener, row }: (typeof own)[number]) =>
    untilAnswered(() => ask(platform, launcher, listener, row), row.healthy)
  await Promise.all(served.map(answersAsBefore))
  link.set(states[fault])
  if (fault === 'killed') link.reset()
  await Promise.all(
    own.map(async ({ name, launcher, listener, row }) => {
      const expected = row[fault]
      const since = performance.now()
      const asked = ask(platform, launcher, listener, row)
      const { status, code } = await asked
      assert.deepEqual(
        { status, code },
        { status: expected.status, code: expected.code },
        `${name}, ${dependency} ${fault}`,
      )
      assertInTime(expected, performance.now() - since, name)
    }),
  )
  link.heal()
  await Promise.all(own.map(answersAsBefore))
  for (const { launcher } of own) assert.ok(isAlive(launcher.pid))
  t.diagnostic(own.map(({ name }) => name).join(', '))
}

function assertInTime({ within }: Outcome, tookMs: number, name: string): void {
  if (within !== undefined) assert.ok(tookMs < within * 1000 + patienceMs / 2, `${name} took ${tookMs} ms`)
}

async function ask(
  { stage }: FailurePlatform,
  launcher: LaunchedProcess,
  listener: string,
  { request }: FailureRow,
): Promise<{ readonly status: number; readonly code: string | undefined }> {
  const { method, path, body, headers } = typeof request === 'function' ? await request(stage) : request
  const { port } = await launcher.line((line) => line['listener'] === listener)
  const scheme = listener === 'invoke' ? 'https' : 'http'
  const answer = await fetch(`${scheme}://127.0.0.1:${String(port)}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  })
  return { status: answer.status, code: codeOf(await answer.text()) }
}

// `{"error": code}` of the launcher, or `{"error": {"code"}}` in the form of OpenAI.
function codeOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: string | { code?: string } }
    return typeof error === 'string' ? error : error?.code
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
