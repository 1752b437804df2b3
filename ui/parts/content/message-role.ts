/** Who wrote a message. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool' | 'reasoning'
