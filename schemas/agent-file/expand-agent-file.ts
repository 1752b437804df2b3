import { toDocuments } from './to-documents.ts'
import type { ExpandedDocument } from './to-documents.ts'
import { parseSource } from './parse.ts'
import type { ParsedSource } from './parse.ts'
import { checkAgentConfig, checkAgentFile } from './find-problems.ts'

/** Objects of one expanded agent file. */
export interface ExpandedAgentFile {
  documents: ExpandedDocument[]
}

/**
 * Expands the simplified agent format, given as YAML. Pure; throws `AgentFileError`, whose problems have line and column, and whose message has the
 * file's name.
 */
export function expandAgentFile(source: string, file?: string): ExpandedAgentFile {
  const parsed = parseSource(source, file)
  return { documents: toDocuments(checkAgentFile(parsed.value, parsed.locate, file)) }
}

/** Expands one document of a file; its problems have line and column. */
export function expandParsed({ value, locate }: ParsedSource): ExpandedAgentFile {
  return { documents: toDocuments(checkAgentFile(value, locate)) }
}

/** Expands a parsed value; its problems have pointers only. */
export function expandAgentConfig(config: unknown): ExpandedAgentFile {
  return { documents: toDocuments(checkAgentConfig(config)) }
}
