import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { prepareEvalWorld } from '#test/flows/evals/eval-world.ts'
import type { EvalWorld } from '#test/flows/evals/eval-world.ts'
import { startEmbedded } from '#test/flows/platform/embedded.ts'
import { startOnCluster } from '#test/flows/platform/on-cluster.ts'
import type { Form } from '#test/flows/platform/running-platform.ts'
import { startS3 } from '#test/harness/s3.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openTerminal } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** A platform with an object store, and a developer who has not connected to it yet. */
export interface StoryWorld {
  readonly terminal: Terminal
  /** File for KUBECONFIG. */
  readonly kubeconfig: string
  /** Variables of the object store. */
  readonly store: Readonly<Record<string, string>>
  /** Checks that no evaluation has left anything in its namespace, nor a namespace that it made. */
  readonly isCleared: () => Promise<void>
  readonly leftOf: EvalWorld['left']
}

/** Starts a platform in a form, with a dataset `greetings` and a route `desk` whose replies depend on the prompt, both of `demo`. */
export async function openStoryWorld(t: Scope, form: Form): Promise<StoryWorld> {
  const { url, accessKey, secretKey } = await startS3(t)
  const addr = new URL(url).host
  const store = {
    OBJECT_STORE_ADDR: addr,
    OBJECT_STORE_ACCESS_KEY: accessKey,
    OBJECT_STORE_SECRET_KEY: secretKey,
  }
  const allow = { MESH_OUTBOUND_ALLOW: '127.0.0.1' }
  const platform = await (form === 'embedded'
    ? startEmbedded(t, { env: { ...allow, MESH_CONFIG: writeSettings(t, { addr, accessKey, secretKey }) } })
    : startOnCluster(t, { candidates: true, env: { ...allow, ...store } }))
  const world = await prepareEvalWorld(t, platform)
  await makeDesk(world)
  // The API server of tests has no controller that deletes namespaces, so that one evaluation would leave none for the next.
  const keeps = form === 'cluster'
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'agent-eval' } }
  if (keeps) assert.equal((await world.kube('POST', '/api/v1/namespaces', body)).status, 201)
  const isCleared = async () => assert.equal(await world.left('agent-eval'), keeps ? 'nothing' : 'no namespace')
  return { terminal: openTerminal(t), kubeconfig: world.kubeconfig('admin'), store, isCleared, leftOf: world.left }
}

// The embedded default takes an object store of a file only: variables of a shell may be of other programs.
function writeSettings(t: Scope, objectStore: object): string {
  const folder = tempFolder('story')
  t.after(folder.remove)
  const path = join(folder.path, 'mesh.yaml')
  writeFileSync(path, stringify({ objectStore }), { mode: 0o600 })
  return path
}

async function makeDesk({ kube, send }: EvalWorld): Promise<void> {
  const metadata = { name: 'desk', namespace: 'demo' }
  const script = [{ systemContains: 'friendly', reply: 'Yes, please.' }, { reply: 'No.' }]
  const provider = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelProvider',
    metadata,
    spec: { type: 'mock', mock: { script } },
  }
  const made = await kube('POST', '/apis/mesh.dev/v1alpha1/namespaces/demo/modelproviders', provider)
  assert.equal(made.status, 201, made.text)
  const spec = { providerRef: { name: 'desk' }, model: 'mock-1', allowedNamespaces: ['agent-eval'] }
  await send('POST', '/api/modelroutes', { metadata, spec })
}
