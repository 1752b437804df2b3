const EXCEEDED = /exceeded quota: ([\w.-]+)/
const REQUESTED = /requested: ([\w./=,-]+)/
const LIMITED = /limited: ([\w./=,-]+)/
const MUST_SPECIFY = /failed quota: ([\w.-]+): must specify ([\w./,;: -]+)/
const POD_SECURITY = /violates PodSecurity "([\w.:-]+)": (.+)/
const LIMIT_RANGE =
  /(?:minimum|maximum) [\w./-]+ (?:usage|limit to request ratio) per \w+ is [\w.]+, but (?:no )?(?:limit|request|provided ratio)(?: is)? [\w.]+/
const WEBHOOK = /admission webhook "([\w.-]+)" denied/
const POLICY = /ValidatingAdmissionPolicy '([\w.-]+)'/
const FIELD =
  /\b((?:spec|metadata)[\w.[\]-]*): (Invalid value|Required value|Unsupported value|Duplicate value|Forbidden|Too long|Not found)/g

/**
 * Returns why the cluster refuses the pods of a Deployment (condition `ReplicaFailure`), as names, fields and quantities.
 * The message itself is not shown, since webhooks and validations quote submitted values (M7).
 */
export function refusedPodsMessage(message: string): string {
  const text = message.slice(0, 8192)
  return (
    quotaMessage(text) ??
    podSecurityMessage(text) ??
    LIMIT_RANGE.exec(text)?.[0] ??
    namedMessage(text) ??
    fieldsMessage(text) ??
    'The cluster refuses the pods; kubectl describe replicaset shows why.'
  )
}

function quotaMessage(text: string): string | undefined {
  const [, unspecified, what] = MUST_SPECIFY.exec(text) ?? []
  if (unspecified !== undefined) return `ResourceQuota ${unspecified}: must specify ${what?.trim()}`
  const name = EXCEEDED.exec(text)?.[1]
  if (name === undefined) return undefined
  const requested = quantitiesAt(REQUESTED, text)
  const limited = quantitiesAt(LIMITED, text)
  const numbers = [requested && `requested ${requested}`, limited && `limited to ${limited}`].filter(Boolean)
  return `ResourceQuota ${name} is exceeded${numbers.length === 0 ? '' : `: ${numbers.join(', ')}`}`
}

// `requests.cpu=1,limits.memory=2Gi`, before the comma that ends the list.
function quantitiesAt(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.[1]?.replace(/,$/, '')
}

// Each check is `name (container "x" must set ...)`; its name is the field to change.
function podSecurityMessage(text: string): string | undefined {
  const [, level, rest] = POD_SECURITY.exec(text) ?? []
  if (level === undefined || rest === undefined) return undefined
  const checks = rest.split(/\)(?:, )?/).flatMap((check) => /^[\w. !=/-]+/.exec(check)?.[0].trim() || [])
  return `Pod Security "${level}" refuses the pods: ${checks.join(', ')}`
}

function namedMessage(text: string): string | undefined {
  const webhook = WEBHOOK.exec(text)?.[1]
  if (webhook !== undefined) return `The admission webhook ${webhook} refuses the pods.`
  const policy = POLICY.exec(text)?.[1]
  return policy === undefined ? undefined : `The ValidatingAdmissionPolicy ${policy} refuses the pods.`
}

function fieldsMessage(text: string): string | undefined {
  const fields = [...text.matchAll(FIELD)].map(([, field, reason]) => `${field}: ${reason}`)
  return fields.length === 0 ? undefined : `The cluster refuses the pods: ${fields.join('; ')}`
}
