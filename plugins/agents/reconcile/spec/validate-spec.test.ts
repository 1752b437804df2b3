import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { badPods } from '#schemas/agents/pod-samples.ts'
import { settings, declarative, command, agentOf } from '../../testing/agent-fixture.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import { validateSpec } from './validate-spec.ts'

test('a spec that this installation cannot run is refused with a reason', () => {
  const reason = (spec: AgentDeploymentSpec, more: Partial<ReconcileSettings> = {}) =>
    validateSpec(agentOf(spec), { ...settings, ...more })?.reason
  assert.equal(reason({ ...declarative, executionModel: 'job' }), 'JobNeedsProcess')
  assert.equal(reason(command), undefined)
  assert.equal(reason(command, { hardened: true }), 'ImageNeedsDigest')
  const byDigest = { ...command, image: `agent@sha256:${'a'.repeat(64)}` }
  assert.equal(reason(byDigest, { hardened: true }), undefined)
  assert.equal(reason(byDigest, { hardened: true, isolation: 'none' }), 'IsolationNotPossible')
})

test('SEC8: unused fields and variables of the platform are refused by name', () => {
  const refused = (spec: AgentDeploymentSpec) => validateSpec(agentOf(spec), settings)
  const env = [{ name: 'NODE_OPTIONS', value: '--import=data:text/javascript,1' }]
  assert.equal(refused({ ...declarative, runtime: { env } })?.reason, 'RuntimeNotUsed')
  assert.equal(refused({ ...declarative, runtime: { port: 9000 } }), undefined)
  const reserved = refused({
    image: 'agent:1',
    runtime: { env: [{ name: 'MODEL_GATEWAY_URL', value: 'http://evil' }] },
  })
  assert.deepEqual([reserved?.reason, reserved?.message.includes('MODEL_GATEWAY_URL')], ['ReservedVariable', true])
  const secretKeyRef = (name: string) => [{ name: 'K', valueFrom: { secretKeyRef: { name, key: 'agent.key' } } }]
  assert.equal(
    refused({ image: 'a:1', runtime: { env: secretKeyRef('bot.keys.mesh.dev') } })?.reason,
    'KeysNotForAgent',
  )
  assert.equal(refused({ image: 'a:1', runtime: { env: secretKeyRef('other') } }), undefined)
  assert.equal(refused({ image: 'a:1', runtime: { env } }), undefined)
})

test('decision 8: the manager refuses an invalid spec.pod and names the field', () => {
  for (const { pod, says } of badPods) {
    const refused = validateSpec(agentOf({ ...command, pod } as AgentDeploymentSpec), settings)
    const expected = says.startsWith('Secrets with') ? 'KeysNotForAgent' : /^(PodNotAllowed|AnnotationNotAllowed)$/
    assert.match(refused?.reason ?? '', new RegExp(expected), JSON.stringify(pod))
    assert.match(refused?.message ?? '', /^spec\.pod\./)
  }
  const volumes = [{ name: 'v', emptyDir: {} }]
  const reason = (spec: AgentDeploymentSpec, more: Partial<ReconcileSettings> = {}) =>
    validateSpec(agentOf(spec), { ...settings, ...more })?.reason
  assert.equal(reason({ ...declarative, pod: { volumes } }), 'VolumesNotUsed')
  assert.equal(reason({ ...command, pod: { volumes } }, { isolation: 'none' }), 'VolumesNeedContainers')
})

test('decision 8: annotations of injectors, and every domain in hardened, must be allowed by the operator', () => {
  const reason = (key: string, podAnnotations: readonly string[]) =>
    validateSpec(agentOf({ ...command, pod: { annotations: { [key]: 'x' } } }), { ...settings, podAnnotations })?.reason
  const injectors = ['sidecar.istio.io/inject', 'vault.hashicorp.com/agent-inject', 'k8s.v1.cni.cncf.io/networks']
  for (const key of [...injectors, 'instrumentation.opentelemetry.io/inject-nodejs']) {
    assert.equal(reason(key, ['*']), 'AnnotationNotAllowed', key)
    assert.equal(reason(key, [key.split('/')[0] ?? '']), undefined, key)
  }
  assert.equal(reason('prometheus.io/scrape', ['*']), undefined)
  assert.equal(reason('prometheus.io/scrape', []), 'AnnotationNotAllowed')
  assert.equal(reason('notprometheus.io/scrape', ['prometheus.io']), 'AnnotationNotAllowed')
  assert.equal(reason('a.prometheus.io/scrape', ['prometheus.io']), undefined)
  assert.equal(reason('mesh.dev/revision', ['mesh.dev', '*']), 'PodNotAllowed')
  assert.equal(reason('team', []), undefined)
})
