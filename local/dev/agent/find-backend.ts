import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { DevValues } from '#cli/contract/dev.ts'
import { conceal } from '#core/log/secrets.ts'
import type { ModelBackend } from './model-objects.ts'

type Environment = Readonly<Record<string, string | undefined>>
type ModelValues = Pick<DevValues, 'provider' | 'model' | 'base-url' | 'key-env'>

/** The model of `--provider`. The key is read from the variable that `--key-env` names, and removed from all output. Throws `CliProblem`. */
export function findBackend(values: ModelValues, env: Environment): ModelBackend {
  const { provider, model, 'base-url': baseUrl, 'key-env': keyEnv } = values
  if (provider === 'mock') {
    for (const [flag, value] of Object.entries({ '--model': model, '--base-url': baseUrl, '--key-env': keyEnv }))
      if (value !== undefined)
        throw new CliProblem(`${flag} is of --provider real`, 'Add --provider real, or leave it out.')
    return { type: 'mock' }
  }
  if (model === undefined)
    throw new CliProblem(
      '--provider real needs --model',
      'Add --model with the id of a model, as its provider names it.',
    )
  if (!/^\S{1,256}$/.test(model))
    throw new CliProblem('--model must be at most 256 characters without spaces', 'Name a model of the provider.')
  const key = keyEnv === undefined ? undefined : keyOf(keyEnv, env)
  const url = baseUrl === undefined ? undefined : toBaseUrl(baseUrl)
  if (url === undefined && key === undefined)
    throw new CliProblem(
      '--provider real without --base-url needs --key-env',
      'Add --key-env with the name of the variable that holds the key.',
    )
  return { type: typeOf(model, url), model, baseUrl: url, key }
}

// The name alone is printed, never the value.
function keyOf(name: string, env: Environment): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
    throw new CliProblem(
      '--key-env must be the name of a variable, not the key',
      'For example --key-env OPENAI_API_KEY.',
    )
  const key = (env[name] ?? '').trim()
  if (key === '')
    throw new CliProblem(`the variable ${name} (--key-env) is not set`, `Set it to the API key: export ${name}=...`)
  conceal(key)
  return key
}

function toBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isUsable =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!isUsable)
    throw new CliProblem(
      '--base-url must be an http or https URL without user and query',
      'For example https://api.openai.com/v1.',
    )
  return text
}

function typeOf(model: string, baseUrl: string | undefined): 'openai' | 'anthropic' {
  const isAnthropic =
    baseUrl === undefined ? model.startsWith('claude') : new URL(baseUrl).hostname === 'api.anthropic.com'
  return isAnthropic ? 'anthropic' : 'openai'
}
