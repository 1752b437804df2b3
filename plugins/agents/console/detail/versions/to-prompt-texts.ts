import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import type { ChangedSection } from './to-side.ts'

/** Two versions of one prompt, as the page of the prompt compares them. */
interface ComparedTexts {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** The versions of the prompt that both specs name; undefined where the specs differ in no version of it. Pure. */
export function toPromptTexts(sections: readonly ChangedSection[]): ComparedTexts | undefined {
  const section = sections.find(({ path }) => path === '/prompt')
  const [before, after] = [toNode(section?.from), toNode(section?.to)]
  const [name, from, to] = [after?.['name'], before?.['version'], after?.['version']]
  if (typeof name !== 'string' || before?.['name'] !== name) return undefined
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return undefined
  return { name, from: String(from), to: String(to) }
}
