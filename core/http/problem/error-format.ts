import { definePoint } from '#core/jobs/extension-point.ts'

/** An error as it is sent. */
export interface WireError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: string
}

/** What an error format may say of the request; without method and path where Node's parser refused it. */
export interface FailedRequest {
  readonly method?: string
  /** Without the query. */
  readonly path?: string
  /** No route has this path and method. */
  readonly isUnknown: boolean
}

/** The form of a listener's errors where its clients expect another one than problem+json. */
export interface ErrorFormat {
  readonly role: 'bff' | 'gateway' | 'state' | 'manager'
  write(error: unknown, request: FailedRequest): WireError
}

/** Contributed by the plugin whose API a role serves; at most one per role. */
export const errorFormat = definePoint<ErrorFormat>('http.error-format')
