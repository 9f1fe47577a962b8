// examples/opentelemetry.mts
import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { ConsoleSpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { openMcp } from "jackfield";

const processor = new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() });
const reader = new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() });
const meters = new MeterProvider({ readers: [reader] });
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
metrics.setGlobalMeterProvider(meters);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const mcp = await openMcp({ telemetry: true });
await mcp.close();
await meters.shutdown();
