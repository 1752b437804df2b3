import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'
import { startAll } from '#test/flows/platform/embedded.ts'
import { runLoad, warmUp } from '../runs/callers.ts'
import type { Operation } from '../runs/callers.ts'
import type { Bench, Goal } from '../tools/bench.ts'
import { inFolder } from '../tools/platform.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { startCaller } from './agents.ts'
import { startApp, startBare, startDapr, startNginx } from './hops.ts'
import type { Hops } from './hops.ts'

const calls = Number(process.env.BENCH_CALLS ?? 1_000)
const callers = 8
// The agent is one service account, and the bench sends more than a pod does.
const settings = 'limits: {perCallerPerMinute: 1000000, underWay: 2000, underWayPerCaller: 1000, turnsPerCaller: 64}\n'

/** Calls between two agents through port 2997, each of which is a stored run of the called one, beside proxies that only relay. */
export const bench: Bench = {
  title: `calls between two agents through port 2997, each with its run in PGlite; the others only relay; ${callers} callers`,
  database: 'fresh',
  measure: () =>
    inFolder((folder) =>
      withScope(async (t) => {
        const file = join(folder, 'mesh.yaml')
        writeFileSync(file, settings)
        const env = { MESH_CONFIG: file }
        const platform = await startAll(t, join(folder, 'data'), { flags: ['--no-demo'], env })
        const app = await startApp(t)
        const relays: Readonly<Record<string, Hops | undefined>> = {
          'bare undici': await startBare(t, app.port),
          nginx: await startNginx(t, folder, app.port),
          Dapr: await startDapr(t, folder, app.port),
        }
        const candidates = Object.entries(relays).flatMap(([name, hops]) =>
          hops === undefined ? [] : [over(name, { ...hops, pids: [...hops.pids, app.pid] }, calls * 4)],
        )
        const own = { pids: [platform.pid], ...(await startCaller(t, platform)) }
        return interleave([over('port 2997', own, calls), ...candidates], { rounds: 5, most: 9 })
      }),
    ),
  goals(figureOf, has) {
    const against = (peer: string, limit: number): readonly Goal[] => {
      if (!has(peer)) return []
      const value = figureOf('port 2997', 'call us') / figureOf(peer, 'call us')
      const text = `CPU of a call, its run included, against ${peer}, ratio`
      return [{ number: 5, text, value, limit, peer: { candidate: peer, figure: 'call us' } }]
    }
    return [...against('Dapr', 0.25), ...against('nginx', 3)]
  },
}

// CPU of both proxies and of the called program. The launchers are children of the platform.
function over(name: string, { pids, origin, path }: Hops, count: number): Candidate {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ text: 'x'.repeat(200) })
  const call: Operation = async (to) => {
    const { statusCode, body: answer } = await to.request({ path, method: 'POST', headers, body })
    const text = await answer.text()
    if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
  }
  const cpu = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  return {
    name,
    async run() {
      const pool = new Pool(origin, { connections: callers, pipelining: 1 })
      try {
        await warmUp(pool, call, { callers, count: Math.ceil(count / 4) })
        const before = cpu()
        const figures = await runLoad(pool, call, { callers, count })
        return { 'call us': (cpu() - before) / count, ...figures }
      } finally {
        await pool.destroy()
      }
    },
  }
}
