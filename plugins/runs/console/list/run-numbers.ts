interface CountedTokens {
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
  readonly modelCalls: number
}

/** All tokens of a run; unknown before its first model call. */
export function tokensOf({ usage, modelCalls }: CountedTokens): number | undefined {
  const tokens = usage.inputTokens + usage.outputTokens
  return tokens === 0 && modelCalls === 0 ? undefined : tokens
}
