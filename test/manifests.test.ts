import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { Value } from 'typebox/value'
import { parse, parseAllDocuments } from 'yaml'
import { coreSettingsSchema } from '#core/config/core-settings.ts'

interface Deployment {
  readonly spec: {
    readonly replicas: number
    readonly strategy?: { readonly rollingUpdate: { readonly maxUnavailable: number } }
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [{ readonly env?: readonly { readonly name: string; readonly value: string }[] }]
      }
    }
  }
}

const base = new URL('../deploy/base/', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, base), 'utf8')
const { drain } = Value.Create(coreSettingsSchema)

function deploymentOf(role: string): Deployment {
  return parse(read(`${role}.yaml`).split('\n---\n')[0] ?? '') as Deployment
}

for (const role of ['bff', 'gateway', 'state', 'worker', 'manager']) {
  test(`X6: the kubelet waits longer for the ${role} than its drain may take`, () => {
    const { terminationGracePeriodSeconds, containers } = deploymentOf(role).spec.template.spec
    const told = containers[0].env?.find(({ name }) => name === 'MESH_DRAIN_DELAY_SECONDS')?.value
    const delay = Number(told ?? drain.delaySeconds)
    assert.ok(terminationGracePeriodSeconds >= 2 * delay + drain.graceSeconds + 5)
  })
}

test('X6: roles that listen serve on until load balancers know', () => {
  for (const role of ['bff', 'gateway', 'state'])
    assert.ok(read(`${role}.yaml`).includes("- name: MESH_DRAIN_DELAY_SECONDS\n              value: '5'"), role)
})

test('X6: an update or a drain of nodes takes no role with several replicas below all but one', () => {
  const budgets = parseAllDocuments(read('disruption-budgets.yaml')).map((one) => one.toJS() as object)
  for (const role of ['bff', 'gateway', 'state', 'worker']) {
    const { replicas, strategy } = deploymentOf(role).spec
    assert.ok(replicas > 1)
    assert.equal(strategy?.rollingUpdate.maxUnavailable, 0)
    assert.ok(
      budgets.some((one) =>
        JSON.stringify(one).includes(`"maxUnavailable":1,"selector":{"matchLabels":{"mesh.dev/role":"${role}"}}`),
      ),
      role,
    )
  }
})

test('PODS9: bound per namespace, the gateway has no right on Secrets of the whole cluster', () => {
  const folder = new URL('../deploy/components/namespaced/', import.meta.url)
  const load = (file: string) => parse(readFileSync(new URL(file, folder), 'utf8'))
  const role = load('cluster-roles.yaml')
  assert.deepEqual(role.rules, [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  ])
  const [patch] = load('kustomization.yaml').patches
  assert.deepEqual([patch.target.name, parse(patch.patch)[0].value], ['mesh-gateway', role.metadata.name])
  const binding = load('bindings.yaml')
  assert.deepEqual([binding.kind, binding.roleRef.name], ['RoleBinding', 'mesh-gateway'])
})
