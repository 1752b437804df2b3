import type { Dispatcher } from 'undici'

const timeoutMs = 5000
const maxAnswerBytes = 64 * 1024

/** A collector for OTLP/HTTP with JSON. */
export interface Collector {
  /** Base URL, as in `OTEL_EXPORTER_OTLP_ENDPOINT`; the path of the signal is appended. */
  readonly endpoint: string
  /** Headers of `OTEL_EXPORTER_OTLP_HEADERS`, such as a key of a hosted backend; never logged. */
  readonly headers?: Readonly<Record<string, string>>
  readonly dispatcher: () => Promise<Dispatcher>
}

/** Posts one export request, as an object or as its JSON. Returns the status; rejects on a timeout. */
export async function postOtlp(collector: Collector, path: string, body: object | string): Promise<number> {
  const url = new URL(`${collector.endpoint}${path}`)
  const pool = await collector.dispatcher()
  const answer = await pool.request({
    origin: url.origin,
    path: url.pathname,
    method: 'POST',
    headers: { ...collector.headers, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await answer.body.dump({ limit: maxAnswerBytes })
  return answer.statusCode
}
