import type { CliInput } from '#cli/contract/command.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { readText } from '#cli/contract/read-text.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { toYaml } from '#cli/contract/to-yaml.ts'
import { expandParsed } from '#schemas/agent-file/expand-agent-file.ts'
import type { ExpandedDocument } from '#schemas/agent-file/to-documents.ts'
import { MAX_BYTES, parseSources } from '#schemas/agent-file/parse.ts'
import { AgentFileError, formatProblem } from '#schemas/agent-file/problem.ts'

interface ExpandValues {
  readonly file: readonly string[]
}

/** Prints the objects of agent files. All files are read before anything is printed, and every problem of every file is named. */
export async function expandFiles(input: CliInput<ExpandValues>): Promise<number> {
  const results = await Promise.all(input.values.file.map((path) => expandOne(input, path)))
  const problems = results.filter((result) => typeof result === 'string')
  if (problems.length > 0) {
    input.err(`${problems.join('\n')}\nNothing was printed. meshctl schema prints the fields of agent files.\n`)
    return 1
  }
  const documents = results.filter((result) => typeof result !== 'string').flat()
  input.out(documents.map(toYaml).join('---\n'))
  for (const document of documents) if (document.kind === 'PromptVersion') input.err(`${promptNote(document)}\n`)
  return 0
}

// The objects of a file, or the lines of its problems: `agent.yaml:3:1: ...`, which editors and terminals turn into links.
async function expandOne(input: CliInput, path: string): Promise<readonly ExpandedDocument[] | string> {
  const file = path === '-' ? 'standard input' : path
  try {
    const documents = parseSources(await readText(input, { path, maxBytes: MAX_BYTES }))
    if (documents.length === 0) return `${toSafeText(file)}: is empty`
    return documents.flatMap((document) => expandParsed(document).documents)
  } catch (error) {
    // What to do follows all of them.
    if (error instanceof CliProblem) return toSafeText(error.message.split('\n', 1)[0] ?? '')
    if (!(error instanceof AgentFileError)) throw error
    return error.problems.map((problem) => toSafeText(formatProblem(problem, file))).join('\n')
  }
}

function promptNote({ metadata: { name } }: ExpandedDocument): string {
  return `The PromptVersion ${name} is no object of the cluster: send it to POST /api/promptversions, or the agent file to POST /api/agents.`
}
