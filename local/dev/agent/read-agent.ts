import type { CliInput } from '#cli/contract/command.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { readText } from '#cli/contract/read-text.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { expandParsed } from '#schemas/agent-file/expand-agent-file.ts'
import { MAX_BYTES, parseSources } from '#schemas/agent-file/parse.ts'
import { AgentFileError, formatProblem } from '#schemas/agent-file/problem.ts'
import type { ExpandedDocument } from '#schemas/agent-file/to-documents.ts'

/** The agent of a file, and the version of its prompt block. */
export interface DevAgent {
  readonly agent: ExpandedDocument
  readonly prompt: ExpandedDocument | undefined
  /** Text of the file, to detect an edit. */
  readonly source: string
}

const hint = 'meshctl schema prints the fields of agent files.'

/** Reads the only agent of a file, expanded as by `meshctl expand`. Throws `CliProblem` with each problem as `file:line:column`. */
export async function readDevAgent(input: Pick<CliInput, 'stdin'>, path: string): Promise<DevAgent> {
  const source = await readText(input, { path, maxBytes: MAX_BYTES }).catch((error: unknown) => {
    if (!(error instanceof CliProblem)) throw error
    const [problem = ''] = error.message.split('\n')
    throw new CliProblem(problem, '--file names the agent file.')
  })
  const [agent, ...more] = expand(source, path)
  const prompt = more.find(({ kind }) => kind === 'PromptVersion')
  if (agent === undefined) throw new CliProblem(`${toSafeText(path)}: is empty`, hint)
  if (more.some(({ kind }) => kind === 'AgentDeployment'))
    throw new CliProblem(
      `${toSafeText(path)}: has more than one agent`,
      'dev runs one agent: keep each in its own file.',
    )
  return { agent, prompt, source }
}

function expand(source: string, path: string): readonly ExpandedDocument[] {
  try {
    return parseSources(source).flatMap((document) => expandParsed(document).documents)
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    const lines = error.problems.map((problem) => toSafeText(formatProblem(problem, path)))
    throw new CliProblem(lines.join('\n'), hint)
  }
}
