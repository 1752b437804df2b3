import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import type { TestedCli } from '#cli/testing/run-cli.ts'
import { runCli } from '#cli/testing/run-cli.ts'
import { toKubeconfig } from '#local/data-folder/kubeconfig.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import type { Form, Platform } from '#test/flows/platform/running-platform.ts'
import type { RawAnswer } from '#test/flows/platform/send.ts'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

type Kube = (method: string, path: string, body?: object) => Promise<RawAnswer>

const group = '/apis/mesh.dev/v1alpha1'

/** Signals never come. */
const never = () => new Promise<never>(() => undefined)

/**
 * A platform on which candidates are evaluated: routes `kind`, `rude` and `silent` and a dataset of `demo`, shared with `agent-eval`, and files of
 * agents.
 */
export async function prepareEvalWorld(t: Scope, platform: Platform) {
  const folder = tempFolder('eval')
  t.after(folder.remove)
  const { tokens, apiServer, url } = platform
  const file = (name: string, content: unknown): string => {
    const path = join(folder.path, name)
    writeFileSync(path, typeof content === 'string' ? content : stringify(content))
    return path
  }
  const server = { url: apiServer.url, certificateAuthority: apiServer.ca, apiUrl: url }
  const kubeconfig = (persona: Persona) => file(`kubeconfig-${persona}`, toKubeconfig(server, tokens, persona))
  const kube: Kube = (method, path, body) =>
    platform.kube({ method, path, bearer: tokens.admin, ...(body === undefined ? {} : { body }) })
  const send: Kube = async (method, path, body) => {
    const made = await platform.send({ method, path, bearer: tokens.admin, ...(body === undefined ? {} : { body }) })
    assert.ok(made.status < 300, `${path}: ${made.text}`)
    return made
  }
  const run = (persona: Persona, args: readonly string[], given: TestedCli = {}) =>
    runCli(args, { env: { KUBECONFIG: kubeconfig(persona) }, untilStopped: never, ...given })
  const world = {
    folder: folder.path,
    file,
    kubeconfig,
    kube,
    send,
    run,
    left: (namespace: string) => untilLeft(kube, { namespace, form: platform.form }),
  }
  await makeRoutes(t, world)
  await makeDatasets(world)
  return world
}

/** See {@link prepareEvalWorld}. */
export type EvalWorld = Awaited<ReturnType<typeof prepareEvalWorld>>

/** An agent file. */
export function agentFile(name: string, route: string, more: object = {}): object {
  return {
    name,
    namespace: 'demo',
    model: { route },
    systemPrompt: 'You help.',
    eval: { dataset: 'greetings' },
    ...more,
  }
}

async function makeRoutes(t: Scope, { kube, send }: { readonly kube: Kube; readonly send: Kube }): Promise<void> {
  // Never responds.
  const silent = await listen(t, createServer())
  const providers: Readonly<Record<string, object>> = {
    kind: { type: 'mock', mock: { script: [{ reply: 'Yes, please.' }] } },
    rude: { type: 'mock', mock: { script: [{ reply: 'No.' }] } },
    silent: { type: 'openai', baseUrl: `${silent}/v1` },
  }
  for (const [name, spec] of Object.entries(providers)) {
    const metadata = { name, namespace: 'demo' }
    const body = { apiVersion: 'mesh.dev/v1alpha1', kind: 'ModelProvider', metadata, spec }
    const made = await kube('POST', `${group}/namespaces/demo/modelproviders`, body)
    assert.equal(made.status, 201, made.text)
    const allowedNamespaces = ['agent-eval', 'scratch']
    await send('POST', '/api/modelroutes', {
      metadata,
      spec: { providerRef: { name }, model: 'mock', allowedNamespaces },
    })
  }
  const metadata = { name: 'private', namespace: 'demo' }
  await send('POST', '/api/modelroutes', { metadata, spec: { providerRef: { name: 'kind' }, model: 'mock' } })
}

async function makeDatasets({ send }: { readonly send: Kube }): Promise<void> {
  const shared = { allowedNamespaces: ['agent-eval', 'scratch'] }
  for (const [name, expected, body] of [
    ['greetings', ['Yes, please.', 'Yes, please.', 'Yes, please.'], shared],
    ['mixed', ['Yes, please.', 'Yes, please.', 'No.'], shared],
    ['empty', [], shared],
    ['hidden', ['Yes, please.'], {}],
  ] as const) {
    await send('PUT', `/api/datasets/${name}?namespace=demo`, body)
    const cases = expected.map((one, index) => ({ id: `case-${index}`, input: 'Hi', expected: one }))
    if (cases.length > 0) await send('POST', `/api/datasets/${name}/cases/import?namespace=demo`, { cases })
  }
}

/** Waits until a namespace is gone, or until nothing of an evaluation is left in it. */
async function untilLeft(
  kube: Kube,
  { namespace, form }: { readonly namespace: string; readonly form: Form },
): Promise<'no namespace' | 'nothing'> {
  let seen = ''
  for (const end = performance.now() + 60_000; performance.now() < end; await pause(300)) {
    const { status, text } = await kube('GET', `/api/v1/namespaces/${namespace}`)
    const isEnding = text.includes('"phase":"Terminating"')
    // The API server of tests has neither a controller of namespaces nor one of garbage.
    if (status === 404 || (isEnding && form !== 'embedded')) return 'no namespace'
    if (isEnding) continue
    const paths = ['agentdeployments', 'evalsuites'].map((plural) => `${group}/namespaces/${namespace}/${plural}`)
    if (form === 'embedded') paths.push(`/apis/apps/v1/namespaces/${namespace}/deployments`)
    const lists = await Promise.all(paths.map((path) => kube('GET', path)))
    seen = lists.map((one) => one.text).join('\n')
    if (lists.every((one) => one.json<{ items: unknown[] }>().items.length === 0)) return 'nothing'
  }
  throw new Error(`${namespace} still has ${seen}`)
}
