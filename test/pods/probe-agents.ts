import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Scope } from '#test/harness/scope.ts'
import { apiOf, at, condition, until } from './api.ts'
import type { Api } from './api.ts'
import { makeCaller } from './callers.ts'
import { addTeam } from './cluster-fixture.ts'
import type { ClusterFixture } from './cluster-fixture.ts'
import { whatPodsSay } from './install.ts'

/** Text of the agent that performs the actions of its input (probe-agent.mjs). */
export const probeText = readFileSync(new URL('probe-agent.mjs', import.meta.url), 'utf8')

/** `runtime` of the probe on the image of the platform. */
export const probeRuntime = { command: ['node'], args: ['--input-type=module', '-e', probeText] }

/** One action: its name and its argument. */
export type Action = Readonly<Record<string, unknown>>

/** Response to the action `request`. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Agents of one namespace of a shared cluster. */
export interface ProbeAgents {
  readonly namespace: string
  readonly developer: Api
  /** Applies an agent, with the probe as its process unless the spec says otherwise. */
  apply(name: string, spec: object): Promise<void>
  /** Applies objects of the namespace, each with kind, name and spec. */
  add(kind: string, name: string, spec: object): Promise<void>
  /** Waits until agents serve their latest revision. */
  ready(...names: string[]): Promise<void>
  /** Starts a run. Returns its id. */
  start(name: string, input: unknown): Promise<string>
  /** Waits for the end of a run. */
  ended(id: string): Promise<unknown>
  /** Runs actions in the pod of an agent. Returns what each observed; the run must succeed. */
  probe(name: string, ...actions: Action[]): Promise<readonly unknown[]>
  /** Sends one request from the pod of an agent. */
  request(name: string, request: object): Promise<Response>
  /** The pod of an agent that is not being deleted. */
  pod(name: string): Promise<unknown>
  /** Runs kubectl in the namespace. */
  kubectl(args: readonly string[], input?: string): Promise<string>
  /** Runs a test step; its error has the last log lines of the pods. */
  explain(work: () => Promise<void>): Promise<void>
}

const over = (run: unknown): boolean => /^(succeeded|failed|cancelled|timed_out|paused)$/.test(String(at(run, 'state')))

/** Creates a namespace with agents, which is deleted with the scope. */
export async function createProbeAgents(
  t: Scope,
  { cluster, bffUrl }: ClusterFixture,
  namespace: string,
): Promise<ProbeAgents> {
  await addTeam(cluster, namespace)
  // Not waited for: pods that end would delay the next file.
  t.after(() => cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']))
  const developer = apiOf(bffUrl, await makeCaller(cluster, 'alice', 'mesh-developer', namespace))
  const kubectl = (args: readonly string[], input?: string) => cluster.kubectl(['-n', namespace, ...args], input)
  const add = async (kind: string, name: string, spec: object): Promise<void> => {
    const object = { apiVersion: 'mesh.dev/v1alpha1', kind, metadata: { name, namespace }, spec }
    await kubectl(['apply', '-f', '-'], JSON.stringify(object))
  }
  const start = async (name: string, input: unknown): Promise<string> => {
    const { status, body } = await developer('POST', '/api/runs', { agent: { namespace, name }, input })
    assert.equal(status, 201, JSON.stringify(body))
    return String(at(body, 'id'))
  }
  const ended = (id: string) => until(`run ${id} ends`, () => developer('GET', `/api/runs/${id}`), over, 150_000)
  const probe = async (name: string, ...actions: Action[]): Promise<readonly unknown[]> => {
    const run = await ended(await start(name, actions))
    assert.equal(at(run, 'state'), 'succeeded', JSON.stringify(run))
    return at(run, 'output') as readonly unknown[]
  }
  return {
    namespace,
    developer,
    kubectl,
    add,
    apply: (name, spec) => add('AgentDeployment', name, { runtime: probeRuntime, ...spec }),
    ready: async (...names) => {
      for (const name of names)
        await until(
          `${name} serves`,
          () => developer('GET', `/api/agents/${namespace}/${name}`),
          (body) =>
            at(body, 'status', 'observedGeneration') === at(body, 'metadata', 'generation') &&
            condition(body, 'Ready') === 'True' &&
            at(body, 'status', 'candidateRevision') === undefined,
          240_000,
        )
    },
    start,
    ended,
    probe,
    request: async (name, request) => (await probe(name, { request }))[0] as Response,
    pod: async (name) => {
      const list: unknown = JSON.parse(await kubectl(['get', 'pods', '-l', `mesh.dev/agent=${name}`, '-o', 'json']))
      const items = at(list, 'items')
      const found = Array.isArray(items)
        ? items.find((one) => at(one, 'metadata', 'deletionTimestamp') === undefined)
        : undefined
      if (found === undefined) throw new Error(`${name} has no pod`)
      return found
    },
    explain: (work) =>
      work().catch(async (error) => {
        const said = await Promise.all([namespace, 'mesh-system'].map((one) => whatPodsSay(cluster, one)))
        throw new Error([String(error), ...said].join('\n'), { cause: error })
      }),
  }
}
