import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import type { KubeServer } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const deploy = fileURLToPath(import.meta.resolve('../../../deploy/'))

/** Manifests of an overlay with the component `namespaced`, as YAML. */
export async function buildNamespaced(profile: 'open' | 'hardened'): Promise<string> {
  const copy = tempFolder('deploy')
  try {
    cpSync(deploy, copy.path, { recursive: true })
    const file = join(copy.path, 'overlays', profile, 'kustomization.yaml')
    const text = readFileSync(file, 'utf8')
    // Exactly one of the components, commented or not.
    const without = text.replace('  - ../../components/namespaced-writes\n', '')
    writeFileSync(file, without.replace('# - ../../components/namespaced ', '- ../../components/namespaced '))
    const { code, stdout, stderr } = await kubectl('/nonexistent', ['kustomize', join(file, '..')])
    assert.equal(code, 0, stderr)
    return stdout
  } finally {
    copy.remove()
  }
}

/** Manifests of the component for one namespace, as YAML. */
export function manifestsOfNamespace(namespace: string): string {
  const file = join(deploy, 'components', 'namespaced', 'namespace.yaml')
  return readFileSync(file, 'utf8').replaceAll('NAMESPACE', namespace)
}

/** Replaces the permissions of the platform's accounts by those of the component. */
export async function bindNamespaces(
  cluster: KubeServer,
  bearer: string,
  namespaces: readonly string[],
): Promise<void> {
  const kubeconfig = cluster.kubeconfig(bearer)
  const apply = async (text: string): Promise<void> => {
    const done = await kubectl(kubeconfig, ['apply', '--server-side', '--force-conflicts', '-f', '-'], text)
    assert.equal(done.code, 0, done.stderr)
  }
  const isRole = (one: { toJS(): unknown }): boolean =>
    (one.toJS() as { kind?: string }).kind?.startsWith('ClusterRole') === true
  await apply(
    parseAllDocuments(await buildNamespaced('open'))
      .filter(isRole)
      .map(String)
      .join('---\n'),
  )
  for (const namespace of namespaces) await apply(manifestsOfNamespace(namespace))
}
