/**
 * Names of attributes of spans of model calls, tool calls and agents: OpenTelemetry semantic conventions for generative AI, and our own
 * where these have none.
 */
export const genAi = {
  operation: 'gen_ai.operation.name',
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  toolName: 'gen_ai.tool.name',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  /** Parts of the content were left out. */
  isContentCut: 'mesh.content.cut',
  /** Provider and model that answered, as in `x-mesh-target`. */
  target: 'mesh.model.target',
  /** Attempts at targets of the route. */
  attempts: 'mesh.model.attempts',
  /** Amount as a decimal string. */
  cost: 'mesh.model.cost',
  /** ISO 4217 code of the cost. */
  currency: 'mesh.model.currency',
  /** Matches of guardrail rules in a model call. */
  decisions: 'mesh.guardrail.decisions',
} as const

/** Values of `gen_ai.operation.name`. */
export const genAiOperations = {
  chat: 'chat',
  embeddings: 'embeddings',
  runAgent: 'invoke_agent',
  runTool: 'execute_tool',
} as const

/** The target of a model call, and the attempts that it took. */
export interface CalledTarget {
  readonly target?: string
  readonly attempts?: number
}

/** Usage, cost and target of a model call. */
export interface MeasuredCall extends CalledTarget {
  readonly model?: string | undefined
  readonly usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cachedTokens: number
    readonly cacheWriteTokens?: number
  }
  readonly cost?: { readonly amount: string; readonly currency: string } | undefined
}

/** Attributes that name the target of a model call. */
export function targetAttributes({ target, attempts }: CalledTarget): Readonly<Record<string, string | number>> {
  return {
    ...(target === undefined ? {} : { [genAi.target]: target }),
    ...(attempts === undefined ? {} : { [genAi.attempts]: attempts }),
  }
}

/** Attributes of a model call with a response. */
export function modelCallAttributes({
  model,
  usage,
  cost,
  ...answered
}: MeasuredCall): Readonly<Record<string, string | number>> {
  return {
    ...targetAttributes(answered),
    ...(model === undefined ? {} : { [genAi.responseModel]: model }),
    [genAi.inputTokens]: usage.inputTokens,
    [genAi.outputTokens]: usage.outputTokens,
    ...(usage.cachedTokens === 0 ? {} : { [genAi.cachedTokens]: usage.cachedTokens }),
    ...(usage.cacheWriteTokens === undefined ? {} : { [genAi.cacheWriteTokens]: usage.cacheWriteTokens }),
    ...(cost === undefined ? {} : { [genAi.cost]: cost.amount, [genAi.currency]: cost.currency }),
  }
}
