import { stringify } from 'yaml'
import { toCrd } from '#schemas/crd.ts'
import { kinds } from '#schemas/kinds.ts'

/** The CRD manifests: path in the repository -> YAML. */
export async function generateCrds(): Promise<Map<string, string>> {
  const files = kinds.map((kind) => [`deploy/crds/${kind.plural}.yaml`, toYaml(toCrd(kind))] as const)
  return new Map([...files, ['deploy/crds/kustomization.yaml', toYaml(kustomization())]])
}

// kubectl apply -k, which takes the folder as a whole.
function kustomization(): object {
  const resources = kinds.map((kind) => `${kind.plural}.yaml`).toSorted()
  return { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources }
}

function toYaml(value: object): string {
  // lineWidth 0: folded lines would make a diff of one word a diff of a paragraph.
  return `# Generated from schemas/crds by \`npm run generate\`; do not edit.\n${stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })}`
}
