import { randomInt } from 'node:crypto'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { EXPIRES_AFTER_ANNOTATION } from '#schemas/names/labels.ts'
import type { Candidate } from './candidate.ts'

const LONGEST = 52
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A name of its own for each evaluation, so that two at a time share nothing and no object that exists is changed. */
export function previewName(name: string): string {
  const suffix = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
  return `${name.slice(0, LONGEST - suffix.length - 1)}-${suffix}`
}

/** How the candidate is placed. */
export interface Preview {
  readonly name: string
  readonly namespace: string
  readonly spec: Readonly<Record<string, unknown>>
  /** Whether its prompt and its suite are there: both have its name. */
  readonly isComplete: boolean
  /** When the manager deletes it, if the command was killed: a duration after its creation. */
  readonly expiresAfter: string
}

/** The agent of a preview. Its gate holds the first revision at zero traffic. Pure. */
export function toPreviewAgent({ labels, annotations, prompt }: Candidate, preview: Preview): object {
  const { name, namespace, spec, isComplete, expiresAfter } = preview
  const { evalGate: _gate, prompt: used, ...rest } = spec
  const own = prompt === undefined ? used : { ...variablesOf(used), name }
  return {
    apiVersion: AgentDeployment.apiVersion,
    kind: AgentDeployment.kind,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [EXPIRES_AFTER_ANNOTATION]: expiresAfter },
    },
    spec: {
      ...rest,
      ...(own === undefined || (prompt !== undefined && !isComplete) ? {} : { prompt: own }),
      ...(isComplete ? { evalGate: { suiteRef: { name } } } : {}),
    },
  }
}

// The prompt of a preview has one version, whatever label or version the file names.
function variablesOf(prompt: unknown): object {
  const { variables } = (prompt ?? {}) as { readonly variables?: unknown }
  return variables === undefined ? {} : { variables }
}
