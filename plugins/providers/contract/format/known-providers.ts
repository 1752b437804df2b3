/** A public model provider, or a model server that people run themselves. */
export interface KnownProvider {
  /** Its word in `meshctl providers connect`. */
  readonly id: string
  readonly title: string
  readonly type: 'openai' | 'anthropic'
  readonly baseUrl: string
  /** Whether it wants a key as it is installed. */
  readonly needsKey: boolean
}

const remote = (id: string, title: string, baseUrl: string, type: KnownProvider['type'] = 'openai'): KnownProvider => ({
  id,
  title,
  type,
  baseUrl,
  needsKey: true,
})

const local = (id: string, title: string, baseUrl: string): KnownProvider => ({
  id,
  title,
  type: 'openai',
  baseUrl,
  needsKey: false,
})

/** Well-known model providers by their id, from their public documents at the date. Each speaks the API of its type at its address. */
export const knownProviders = {
  asOf: '2026-11-30',
  items: [
    remote('anthropic', 'Anthropic', 'https://api.anthropic.com/v1', 'anthropic'),
    remote('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1'),
    remote('cohere', 'Cohere', 'https://api.cohere.ai/compatibility/v1'),
    remote('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1'),
    remote('fireworks', 'Fireworks AI', 'https://api.fireworks.ai/inference/v1'),
    remote('gemini', 'Google Gemini', 'https://generativelanguage.googleapis.com/v1beta/openai'),
    remote('groq', 'Groq', 'https://api.groq.com/openai/v1'),
    local('lm-studio', 'LM Studio', 'http://127.0.0.1:1234/v1'),
    remote('mistral', 'Mistral AI', 'https://api.mistral.ai/v1'),
    remote('nvidia', 'NVIDIA NIM', 'https://integrate.api.nvidia.com/v1'),
    local('ollama', 'Ollama', 'http://127.0.0.1:11434/v1'),
    remote('openai', 'OpenAI', 'https://api.openai.com/v1'),
    remote('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1'),
    remote('together', 'Together AI', 'https://api.together.xyz/v1'),
    local('vllm', 'vLLM', 'http://127.0.0.1:8000/v1'),
    remote('xai', 'xAI', 'https://api.x.ai/v1'),
  ],
} as const satisfies { readonly asOf: string; readonly items: readonly KnownProvider[] }

/** The provider with an id. */
export function findKnownProvider(id: string): KnownProvider | undefined {
  return knownProviders.items.find((one) => one.id === id)
}
