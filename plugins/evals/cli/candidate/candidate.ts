/** An agent file that is evaluated. */
export interface Candidate {
  readonly file: string
  /** Namespace of the file, else of the context: where its names lead. */
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly annotations: Readonly<Record<string, string>> | undefined
  readonly spec: Readonly<Record<string, unknown>>
  /** Spec of the PromptVersion of the file. */
  readonly prompt: Readonly<Record<string, unknown>> | undefined
  /** Name of its suite. */
  readonly suite: string | undefined
  /** `name` or `namespace/name` of its dataset. */
  readonly dataset: string | undefined
}
