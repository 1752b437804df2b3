import { stringify } from 'yaml'
import { toCrd } from '#schemas/kinds/crd.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'

const kinds = kindsOf(plugins)

/** CRD manifests: YAML by path in the repository. */
export async function generateCrds(): Promise<Map<string, string>> {
  const files = kinds.map((kind) => [`deploy/crds/${kind.plural}.yaml`, toYaml(toCrd(kind))] as const)
  return new Map([...files, ['deploy/crds/kustomization.yaml', toYaml(kustomization())]])
}

// For kubectl apply -k, which applies the whole folder.
function kustomization(): object {
  const resources = kinds.map((kind) => `${kind.plural}.yaml`).toSorted()
  return { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources }
}

function toYaml(value: object): string {
  // lineWidth 0: with folded lines, a change of one word would change a paragraph.
  return `# Generated from schemas/crds by \`npm run generate\`; do not edit.\n${stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })}`
}
