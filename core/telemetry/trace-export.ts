/** A protocol of OTLP (OpenTelemetry, `OTEL_EXPORTER_OTLP_PROTOCOL`). */
export type OtlpProtocol = 'grpc' | 'http/protobuf' | 'http/json'

/** A sampler (OpenTelemetry, `OTEL_TRACES_SAMPLER`). */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

/** Destination and selection of exported spans. Headers, timeout, compression and certificates are read by the exporter. */
export interface TraceExport {
  readonly protocol: OtlpProtocol
  /** URL of the signal; for gRPC, that of the server. */
  readonly url: string
  readonly sampler: SamplerName
  /** Share of the traces for the samplers by trace id. */
  readonly ratio: number
  /** Attributes of the process from the environment, which override its own. */
  readonly resource: Readonly<Record<string, string>>
}
