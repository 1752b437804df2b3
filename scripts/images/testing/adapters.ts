// Adapters of external servers, as an entry point of the bundle under test.
export { insideTransaction } from '#core/async/transaction-guard.ts'
export { openTracing } from '#core/host/process/open-tracing.ts'
export { createOutbound } from '#core/http-client/outbound.ts'
export { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
export { openS3Store } from '#core/objects/s3-store.ts'
export { openRedisStore } from '#core/state-store/redis-store.ts'
export { createWithSession } from '#plugins/mcp/client/session.ts'
