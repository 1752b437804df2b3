import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { KubeServer } from './kube.ts'
import { kubectl } from './kubectl.ts'

const deploy = new URL('../../deploy/', import.meta.url)
const applied = new Map<string, Promise<void>>()

/**
 * Applies the shipped CRDs, and files of `deploy/rbac` by name, to an API server that files share. Once for each process: every apply
 * costs half a second of CPU and finds nothing to change.
 */
export function applyShipped(kube: KubeServer, ...roles: readonly string[]): Promise<void> {
  const key = [kube.url, ...roles].join(' ')
  const known = applied.get(key) ?? apply(kube, roles)
  applied.set(key, known)
  return known
}

async function apply(kube: KubeServer, roles: readonly string[]): Promise<void> {
  const kubeconfig = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const path = (name: string): string => fileURLToPath(new URL(name, deploy))
  const files = readdirSync(path('crds')).filter((file) => file !== 'kustomization.yaml')
  const names = files.map((file) => `crd/${file.replace('.yaml', '')}.mesh.dev`)
  const force = ['apply', '--server-side', '--force-conflicts']
  for (const args of [
    [...force, '-k', path('crds')],
    ['wait', '--for=condition=Established', '--timeout=30s', ...names],
    ...(roles.length === 0 ? [] : [[...force, ...roles.flatMap((role) => ['-f', path(`rbac/${role}.yaml`)])]]),
  ]) {
    const { code, stderr } = await kubectl(kubeconfig, args)
    assert.equal(code, 0, stderr)
  }
}
