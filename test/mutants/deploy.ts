import type { Mutant } from './mutant.ts'

/** Defects in the manifests and the Dockerfile. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a rollback narrows rights while newer pods serve',
    file: 'docs/how-to/upgrade.md',
    find: '"$OVERLAY")]\npatches:\n  - target: { group: rbac.authorization.k8s.io }',
    replace: '"$OVERLAY")]\npatches:\n  - target: { group: scheduling.k8s.io }',
    tests: ['test/roll-back.test.ts'],
    only: 'R2-CL-1: a rollback by',
  },
  {
    name: 'a rollback past certificates replaces workers before agents',
    file: 'docs/how-to/upgrade.md',
    find: '|viewer|worker).*',
    replace: '|viewer).*',
    tests: ['test/roll-back.test.ts'],
    only: 'R2-CL-1: a rollback past',
  },
  {
    name: 'the bundle takes its fetch from a name that a CommonJS module does not have there',
    file: 'scripts/images/undici.mjs',
    find: '{ default: web }',
    replace: 'web',
    tests: ['scripts/images/bundled-adapters.test.ts'],
    only: 'R2-CL-6',
  },
  {
    name: 'the pods of a role are selected in a way that kube-apiserver refuses',
    file: 'deploy/base/every-role.yaml',
    find: 'counted together.\n      labelSelector: {}',
    replace: 'counted together.\n      labelSelector: {matchLabels: {mesh.dev/role: bff}}',
    tests: ['test/manifests.test.ts'],
    only: 'kube-apiserver',
  },
  {
    name: 'links of Services set a port in the Job of keys',
    file: 'deploy/components/keys/keys.yaml',
    find: 'enableServiceLinks: false',
    replace: 'enableServiceLinks: true',
    tests: ['test/manifests.test.ts'],
    only: 'PODA4',
  },
  {
    name: 'the state role is open to every pod',
    file: 'deploy/base/network-policies.yaml',
    find: '              - key: mesh.dev/agent\n',
    replace: '              - key: app\n',
    tests: ['test/network-policies.test.ts'],
  },
  {
    name: 'the state role refuses candidates where policies are enforced',
    file: 'deploy/base/network-policies.yaml',
    find: '              - key: mesh.dev/candidate-of\n',
    replace: '              - key: mesh.dev/candidate\n',
    tests: ['test/network-policies.test.ts'],
  },
  {
    name: 'images of a release run as root',
    file: 'Dockerfile',
    find: 'USER 65532:65532',
    replace: 'USER 0:0',
    tests: ['scripts/images/images.test.ts'],
    only: 'Dockerfile',
  },
  {
    name: 'the manager keeps its rights on Secrets of the whole cluster',
    file: 'deploy/components/namespaced-writes/kustomization.yaml',
    find: 'value: mesh-manager-cluster',
    replace: 'value: mesh-manager',
    tests: ['test/manifests.test.ts'],
    only: 'PODS9',
  },
  {
    name: 'the state role keeps its right on Secrets of the whole cluster',
    file: 'deploy/components/namespaced-writes/kustomization.yaml',
    find: '      name: mesh-state\n',
    replace: '      name: mesh-worker\n',
    tests: ['test/manifests.test.ts'],
    only: 'R2-CL-9',
  },
  {
    name: 'the manager itself has the token that reads all keys',
    file: 'deploy/components/keys/manager.yaml',
    find: '- op: test\n',
    replace:
      '- op: add\n  path: /spec/template/spec/containers/0/volumeMounts/-\n  value: {name: keys-account, mountPath: /account}\n- op: test\n',
    tests: ['test/manifests.test.ts'],
    only: 'the manager makes missing keys',
  },
  {
    name: 'an id in use that the table of requirements lacks is accepted',
    file: 'scripts/requirements/page.ts',
    find: 'return [...unknown, ...bare, ...stale]',
    replace: 'return [...bare, ...stale]',
    tests: ['scripts/requirements/requirements.test.ts'],
  },
  {
    name: 'chosen namespaces: the worker keeps its right on all namespaces',
    file: 'deploy/components/namespaced/kustomization.yaml',
    find: '        value: []',
    replace: `        value:
          - apiGroups: [discovery.k8s.io]
            resources: [endpointslices]
            verbs: [list]`,
    tests: ['test/manifests.test.ts'],
    only: 'component namespaced',
  },
]
