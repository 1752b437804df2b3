import { toolText } from './text.ts'

/** A tool as its server describes it: in a status its schemas are strings. */
export interface ShownTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

/** A hint in words, and whether it warns. */
export interface ShownHint {
  readonly words: string
  readonly isWarning: boolean
}

const { hints } = toolText

/** The hints of a tool, as MCP reads them: without `readOnlyHint` it may write, and then it may destroy. Pure. */
export function hintsOf({ annotations }: Pick<ShownTool, 'annotations'>): readonly ShownHint[] {
  const given = (annotations ?? {}) as Readonly<Record<string, unknown>>
  const isReadOnly = given['readOnlyHint'] === true
  if (typeof annotations !== 'object' || Object.keys(given).length === 0)
    return [{ words: hints.none, isWarning: true }]
  return [
    isReadOnly
      ? { words: hints.readOnly, isWarning: false }
      : given['destructiveHint'] === false
        ? { words: hints.writes, isWarning: false }
        : { words: hints.destructive, isWarning: true },
    ...(given['openWorldHint'] === true ? [{ words: hints.openWorld, isWarning: false }] : []),
  ]
}

/** A schema as a value; a string that does not parse stays one. Pure. */
export function schemaValue(schema: unknown): unknown {
  if (typeof schema !== 'string') return schema
  try {
    return JSON.parse(schema) as unknown
  } catch {
    return schema
  }
}

/** A tool as a document, for a comparison; empty for none. JSON is YAML. Pure. */
export function toToolDocument(tool: ShownTool | undefined): string {
  if (tool === undefined) return ''
  const { inputSchema, outputSchema, ...rest } = tool
  const schemas = {
    ...(inputSchema === undefined ? {} : { inputSchema: schemaValue(inputSchema) }),
    ...(outputSchema === undefined ? {} : { outputSchema: schemaValue(outputSchema) }),
  }
  return `${JSON.stringify({ ...rest, ...schemas }, undefined, 2)}\n`
}
