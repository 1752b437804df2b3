import type { Scope } from '#test/harness/scope.ts'
import type { Bench, FigureOf, Goal } from '../tools/bench.ts'
import { ownCpuOf, watchPeak } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { openInstallation, places, poolOf, startProgram } from './installation.ts'
import { readPages, walk } from './walk.ts'
import type { Listing } from './walk.ts'

const objects = Number(process.env.BENCH_AGENTS ?? 5000)
const pageSize = 200
const walks = Math.max(4, Math.round(20_000 / objects))
const throughBff: Listing = { path: '/api/agents', cursor: 'cursor' }
const direct: Listing = { path: '/apis/mesh.dev/v1alpha1/agentdeployments', cursor: 'continue' }

const floor =
  'The bare proxy only pipes: what it costs is HTTP and TLS, and no walk through another process costs less CPU in Node.js, whatever a parse takes.'

/** The platform's list beside that of the API server, page by page, with the same client and bearer. */
export const bench: Bench = {
  title: `${objects} agents in pages of ${pageSize}, one walk (ms), and CPU of the process under test (microseconds a walk)`,
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const place of places) candidates.push(...(await candidatesAt(t, place)))
      const measured = await interleave(candidates, { rounds: 7, most: 12 })
      return { ...measured, notes: [floor] }
    }),
  goals: (figureOf) =>
    places.flatMap((where) => [ratio(figureOf, where), overParse(figureOf, where), memory(figureOf, where)]),
}

// CPU of the BFF only: the time of a walk is mostly the API server's. With the embedded server both share a process, so that the server is
// included.
function overParse(figureOf: FigureOf, where: string): Goal {
  const peer = { candidate: `JSON.parse of the pages of ${where}`, figure: 'cpu us' }
  const value = figureOf(`GET /api/agents on ${where}`, 'cpu us') / figureOf(peer.candidate, peer.figure)
  const what = where === 'embedded' ? 'CPU of BFF and API server in one process' : "the BFF's own CPU"
  return { number: 12, text: `${what} against JSON.parse of the same bytes, ${where}, ratio`, value, limit: 1.5, peer }
}

// In a shared process, the memory that the API server uses for the same walk alone is not counted for the BFF.
function memory(figureOf: FigureOf, where: string): Goal {
  const peer = { candidate: `JSON.parse of the pages of ${where}`, figure: 'page MB' }
  const peak = figureOf(`GET /api/agents on ${where}`, 'peak MB')
  const own = where === 'embedded' ? Math.max(0, peak - figureOf(`direct to ${where}`, 'peak MB')) : peak
  const above = where === 'embedded' ? 'that of the same walk at the API server' : 'its start'
  const text = `the BFF's resident memory at its peak above ${above}, ${where}, pages`
  return { number: 12, text, value: own / figureOf(peer.candidate, peer.figure), limit: 3, peer }
}

function ratio(figureOf: FigureOf, where: string): Goal {
  const peer = { candidate: `direct to ${where}`, figure: 'ms' }
  const value = figureOf(`GET /api/agents on ${where}`, 'ms') / figureOf(peer.candidate, peer.figure)
  return {
    number: 12,
    text: `time of a walk against the same at the API server, ${where}, ratio`,
    value,
    limit: 1.25,
    peer,
  }
}

async function candidatesAt(t: Scope, where: string): Promise<readonly Candidate[]> {
  const { bff, own, cluster, token, address } = await openInstallation(t, where, objects)
  const proxy = await startProgram(t, 'proxy.ts', address)
  const { url } = JSON.parse(proxy.line) as { url: string }
  const through = poolOf(t, url)
  // Measured after the first hundred walks, since compiling is a third of their cost.
  for (let turn = 0; turn < 5 * walks; turn++) {
    await walk(cluster, token, direct)
    await walk(through, token, direct)
    await walk(own, token, throughBff)
  }
  const texts = await readPages(own, token, throughBff)
  const run = (pid: number, walkOnce: () => Promise<number> | number) => async () => {
    const peak = watchPeak(pid)
    const from = { cpu: ownCpuOf(pid), at: performance.now() }
    for (let turn = 0; turn < walks; turn++) {
      const count = await walkOnce()
      if (count !== objects) throw new Error(`${where}: ${count} objects`)
    }
    const ms = (performance.now() - from.at) / walks
    return { ms, 'cpu us': (ownCpuOf(pid) - from.cpu) / walks, 'peak MB': peak() }
  }
  const parsing = run(process.pid, () => parseAll(texts))
  const pageMegabytes = Buffer.byteLength(texts[0] ?? '') / 2 ** 20
  return [
    { name: `direct to ${where}`, run: run(bff.pid, () => walk(cluster, token, direct)) },
    { name: `bare proxy to ${where}`, run: run(proxy.pid, () => walk(through, token, direct)) },
    { name: `GET /api/agents on ${where}`, run: run(bff.pid, () => walk(own, token, throughBff)) },
    {
      name: `JSON.parse of the pages of ${where}`,
      run: async () => ({ ...(await parsing()), 'page MB': pageMegabytes }),
    },
  ]
}

function parseAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (JSON.parse(text) as { items: readonly unknown[] }).items.length, 0)
}
