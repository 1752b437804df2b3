import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'
import { readText } from '#cli/contract/read-text.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { asObject } from '#core/json/is-object.ts'
import { expandParsed } from '#schemas/agent-file/expand-agent-file.ts'
import { isKubernetesObject } from '#schemas/agent-file/find-problems.ts'
import { MAX_BYTES, parseSource } from '#schemas/agent-file/parse.ts'
import type { ParsedSource } from '#schemas/agent-file/parse.ts'
import { AgentFileError, formatProblem } from '#schemas/agent-file/problem.ts'
import { EVAL_DATASET_ANNOTATION } from '#schemas/agent-file/to-documents.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { Candidate } from './candidate.ts'

const HINT = 'meshctl schema prints the fields of agent files.'

/** Reads the only agent of a file, in the simplified format or as an object. Throws `CliProblem` with each problem of the file. */
export async function readAgentCandidate(
  input: Pick<CliInput, 'stdin'>,
  path: string,
  namespace: string,
): Promise<Candidate> {
  const file = path === '-' ? 'standard input' : path
  const text = await readText(input, { path, maxBytes: MAX_BYTES })
  try {
    return toCandidate(file, documentsOf(parseSource(text)), namespace)
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    const lines = error.problems.map((problem) => toSafeText(formatProblem(problem, file)))
    throw new CliProblem(lines.join('\n'), HINT)
  }
}

interface Documents {
  readonly agent: Readonly<Record<string, unknown>>
  readonly prompt?: Readonly<Record<string, unknown>> | undefined
}

function documentsOf(parsed: ParsedSource): Documents {
  if (!isKubernetesObject(parsed.value)) {
    const { documents } = expandParsed(parsed)
    const [agent, prompt] = ['AgentDeployment', 'PromptVersion'].map((kind) =>
      documents.find((one) => one.kind === kind),
    )
    return { agent: { ...agent }, prompt: prompt?.spec }
  }
  if (parsed.value.kind === AgentDeployment.kind) return { agent: { ...parsed.value } }
  const message = `must be ${AgentDeployment.kind}, or a file in the simplified format`
  throw new AgentFileError([parsed.locate({ path: ['kind'], message })])
}

function toCandidate(file: string, { agent, prompt }: Documents, namespace: string): Candidate {
  const metadata = asObject(agent['metadata'])
  const spec = asObject(agent['spec'])
  const { name } = metadata
  if (typeof name !== 'string') throw new AgentFileError([{ pointer: '/metadata/name', message: 'must be a string' }])
  if (spec['executionModel'] === 'job')
    throw new CliProblem(`${toSafeText(file)}: a job has no eval gate`, 'Use executionModel service.')
  const annotations = textsOf(metadata['annotations'])
  return {
    file,
    namespace: typeof metadata['namespace'] === 'string' ? metadata['namespace'] : namespace,
    name,
    labels: textsOf(metadata['labels']),
    annotations,
    spec,
    prompt,
    suite: nameOf(asObject(spec['evalGate'])['suiteRef']),
    dataset: annotations?.[EVAL_DATASET_ANNOTATION],
  }
}

function nameOf(ref: unknown): string | undefined {
  const { name } = asObject(ref)
  return typeof name === 'string' ? name : undefined
}

// Other values are refused by the API, with the path of the field.
function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  return value === undefined ? undefined : (asObject(value) as Readonly<Record<string, string>>)
}
