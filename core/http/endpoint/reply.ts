import type { FastifyReply } from 'fastify'

/** Status and headers of a response, as a handler sets them. The body is what the handler returns. */
export interface Reply {
  readonly statusCode: number
  /** Sets the status; default: the first success that the endpoint declares. */
  code(status: number): Reply
  header(name: string, value: string | number | readonly string[]): Reply
  headers(values: Readonly<Record<string, string | number | string[]>>): Reply
}

/** Returns the server's reply of a call, for core and for responses that are not sent by returning a body. */
export function serverReplyOf({ reply }: { readonly reply: Reply }): FastifyReply {
  // `createCall` creates no other kind of reply.
  return reply as FastifyReply
}
