/** Attributes that hold content of model calls and tool calls: OpenTelemetry, its former names, and those of common libraries. */
const content: readonly RegExp[] = [
  /^gen_ai\.(?:input\.messages|output\.messages|system_instructions|tool\.(?:definitions|call\.(?:arguments|result))|prompt|completion|event\.content)(?:\.|$)/,
  /^mesh\.content\./,
  // OpenInference.
  /^(?:input|output)\.value$/,
  /^llm\.(?:input_messages|output_messages|prompts?|completions?|prompt_template|tools)(?:\.|$)/,
  /^(?:retrieval\.documents|embedding\.embeddings|reranker\.(?:input|output)_documents|tool\.parameters)(?:\.|$)/,
  /^(?:traceloop\.entity|langfuse\.(?:observation|trace))\.(?:input|output)$/,
  // AI SDK.
  /^ai\.(?:prompt|response\.(?:text|object|toolCalls)|toolCall\.(?:args|result)|values?|embeddings?)(?:\.|$)/,
]

const quoted =
  /"(?:gen_ai\.(?:input|output|system_instructions|tool|prompt|completion|event)|input\.|output\.|llm\.|retrieval\.|embedding\.|reranker\.|tool\.|traceloop\.|langfuse\.|ai\.)/

/** Whether the JSON of spans may have attributes with content: a quick test, which other names pass, too. */
export function mayHaveContent(json: string): boolean {
  return quoted.test(json)
}

// As for the names of metadata: an agent that invents keys must not fill the memory.
const MAX_KEYS = 1_000
const decided = new Map<string, boolean>()

/** Whether an attribute holds content, which `get traces/content` shows. */
export function isContentKey(key: string): boolean {
  const known = decided.get(key)
  if (known !== undefined) return known
  const found = content.some((pattern) => pattern.test(key))
  if (decided.size < MAX_KEYS) decided.set(key, found)
  return found
}
