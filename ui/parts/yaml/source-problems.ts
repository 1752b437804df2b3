import type { RefusedField } from '../../api/api-problem.ts'
import { documentText as text } from '../../text/documents.ts'
import { checkValue } from '../yaml/schema-problems.ts'
import type { ValueSchema } from '../yaml/schema-shape.ts'
import { rangeAt, toPath, toPointer } from '../yaml/yaml-source.ts'
import type { PlacedProblem, ValuePath, YamlSource } from '../yaml/yaml-source.ts'

/** What is wrong with a document, by the order of its lines: syntax first, then the schema and what the server refused. */
export function problemsOf(
  source: YamlSource,
  schema: ValueSchema | undefined,
  refused: readonly RefusedField[] = [],
): readonly PlacedProblem[] {
  if (source.problems.length > 0) return source.problems
  const place = (path: ValuePath, detail: string): PlacedProblem => {
    const [from, to] = rangeAt(source, path)
    const name = path.join('.')
    return { line: source.lineAt(from), from, to, message: name === '' ? detail : text.problem.at(name, detail) }
  }
  const found = schema === undefined || source.value === null ? [] : checkValue(schema, source.value)
  // What the schema says of a field, the server says in its own words.
  const known = new Set(refused.map(({ pointer }) => pointer))
  return [
    ...refused.map(({ pointer, detail }) => place(toPath(source, pointer), detail)),
    ...found.filter(({ path }) => !known.has(toPointer(path))).map(({ path, detail }) => place(path, detail)),
  ].toSorted((a, b) => a.line - b.line)
}
