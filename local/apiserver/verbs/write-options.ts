import { invalid } from '../json/api-error.ts'
import { forbiddenField } from '../json/status.ts'
import { isTrue } from '../rbac/request-info.ts'
import type { Exchange } from './exchange.ts'

/** Query parameters of create, update and patch. */
export interface WriteOptions {
  dryRun: boolean
  fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  manager: string
  force: boolean
}

const unsupported = (field: string, value: string, supported: string) => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${value}: supported values: ${supported}`,
  field,
})

/** True for `dryRun=All`; any other value is a 422 of the options' kind. */
export function isDryRun(values: readonly string[], options: string): boolean {
  if (values.some((value) => value !== 'All')) {
    const of = { group: 'meta.k8s.io', resource: options.toLowerCase(), kind: options }
    throw invalid(of, '', [
      unsupported('dryRun', `[${values.map((value) => JSON.stringify(value)).join(' ')}]`, '"All"'),
    ])
  }
  return values.length > 0
}

/** Reads and checks the options of a write; only `apply` permits `force`, and it requires a manager. */
export function writeOptions(
  exchange: Exchange,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  const { query } = exchange
  const of = { group: 'meta.k8s.io', resource: kind.toLowerCase(), kind }
  const fieldValidation = query.get('fieldValidation') || 'Warn'
  const manager = query.get('fieldManager') ?? ''
  const causes = []
  if (apply && manager === '')
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value: is required for apply patch',
      field: 'fieldManager',
    })
  if (!apply && kind === 'PatchOptions' && query.has('force'))
    causes.push(forbiddenField('force', 'may not be specified for non-apply patch'))
  if (manager.length > 128)
    causes.push({
      reason: 'FieldValueTooLong',
      message: 'Too long: may not be more than 128 bytes',
      field: 'fieldManager',
    })
  const dryRun = isDryRun(
    query.getAll('dryRun').filter((value) => value !== ''),
    kind,
  )
  if (fieldValidation !== 'Strict' && fieldValidation !== 'Warn' && fieldValidation !== 'Ignore') {
    causes.push(unsupported('fieldValidation', JSON.stringify(fieldValidation), '"", "Ignore", "Strict", "Warn"'))
    throw invalid(of, '', causes)
  }
  if (causes.length > 0) throw invalid(of, '', causes)
  return { dryRun, fieldValidation, manager: manager || fromUserAgent(exchange), force: isTrue(query.get('force')) }
}

/** Default manager of a client: its User-Agent up to the first slash. */
function fromUserAgent({ request }: Exchange): string {
  return (request.headers['user-agent'] ?? '').split('/')[0]?.slice(0, 128) || 'unknown'
}
