import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import { patchYaml } from '#ui/parts/yaml/patch-source.ts'
import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { isManifest } from './is-manifest.ts'

/** What a person says of a gate. */
export interface TypedGate {
  readonly dataset: string
  readonly evaluator: 'contains' | 'exact'
  readonly minScore: string
  readonly suite: string
}

/** An agent as its document names it. */
interface NamedAgent {
  readonly name: string
  readonly namespace: string
  /** Suite of its gate. */
  readonly suite: string | undefined
}

/** Name, namespace and gate of a document; the namespace is that of the page unless the document has one. */
export function namedAgent(value: unknown, namespace: string): NamedAgent {
  const file = toNode(value)
  const head = isManifest(value) ? toNode(file?.['metadata']) : file
  const gate = toNode(toNode(file?.['spec'])?.['evalGate'])
  const suite = isManifest(value) ? toNode(gate?.['suiteRef'])?.['name'] : toNode(file?.['eval'])?.['suite']
  return {
    name: textOf(head?.['name']) ?? 'agent',
    namespace: textOf(head?.['namespace']) ?? namespace,
    suite: textOf(suite),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The YAML with a gate, in the format of the document; undefined where it has no place for one. */
export function gateYaml(yaml: string, { dataset, suite }: Pick<TypedGate, 'dataset' | 'suite'>): string | undefined {
  const source = readYaml(yaml)
  const gated = isManifest(source.value)
    ? patchYaml(source, ['spec', 'evalGate', 'suiteRef'], { name: suite })
    : patchYaml(readYaml(patchYaml(source, ['eval', 'dataset'], dataset)), ['eval', 'suite'], suite)
  return namedAgent(readYaml(gated).value, '').suite === suite ? gated : undefined
}

/** A score from 0 to 1; undefined for other text. */
export function readScore(text: string): number | undefined {
  const score = /^\s*(?:\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})\s*$/.test(text) ? Number(text) : Number.NaN
  return score >= 0 && score <= 1 ? score : undefined
}

/** The suite of a gate. Its evaluator compares with the expected output of each case. */
export function toGateSuite({ dataset, evaluator }: TypedGate, minScore: number): EvalSuiteSpec {
  return {
    datasetRef: { name: dataset },
    evaluators: [{ name: evaluator === 'exact' ? 'same' : 'expected', type: evaluator }],
    minScore,
  }
}
