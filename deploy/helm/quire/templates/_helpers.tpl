{{- define "quire.name" -}}
{{- default (ternary .Release.Name (printf "%s-quire" .Release.Name) (contains "quire" .Release.Name)) .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "quire.selector" -}}
app.kubernetes.io/name: quire
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "quire.labels" -}}
{{ include "quire.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "quire.hasBucket" -}}
{{- if ne .Values.store.protocol "file" }}true{{ end -}}
{{- end -}}

{{/* The settings of a role. Its own settings override those of all roles, which override those that follow from other values. */}}
{{- define "quire.settings" -}}
{{- $root := .root -}}
{{- $v := $root.Values -}}
{{- $name := include "quire.name" $root -}}
{{- $s := dict
  "engine.bind.host" "0.0.0.0"
  "engine.log.format" "json"
  "engine.broker.shutdown.grace" (printf "%ds" (int $v.broker.shutdownGraceSeconds))
  "engine.broker.pagination.protocol" $v.store.protocol
  "engine.broker.pagination.temp.dir" "/var/tmp/quire"
  (printf "engine.broker.pagination.%s.data.dir" $v.store.protocol) (default "/var/lib/quire/results" $v.store.uri) -}}
{{- range $principal, $each := $v.principals -}}
{{- $_ := set $s (printf "engine.auth.principal.%s.role" $principal) $each.role -}}
{{- $_ := set $s (printf "engine.auth.principal.%s.token.file" $principal) (printf "/run/secrets/quire/%s/token" $principal) -}}
{{- end -}}
{{- if $v.tables.enabled -}}{{- $_ := set $s "engine.tables.data.dir" "/var/lib/quire-tables/tables" -}}{{- end -}}
{{- if eq .role "broker" -}}
{{- $_ := set $s "engine.broker.client.queryPort" "8099" -}}
{{- else if eq .role "proxy" -}}
{{- $_ := set $s "proxy.port" "8080" -}}
{{- $_ := set $s "proxy.brokers.dns" (printf "http://%s-broker-headless:8099" $name) -}}
{{- else if eq .role "controller" -}}
{{- $_ := set $s "controller.port" "9000" -}}
{{- $_ := set $s "controller.admin.auth.provider.class" "UrlAuthProvider" -}}
{{- $_ := set $s "controller.admin.auth.url" (printf "file:///run/secrets/quire/%s/token" $v.operator) -}}
{{- if include "quire.hasBucket" $root -}}
{{- $_ := set $s "controller.brokers" (printf "http://%s-broker:8099" $name) -}}
{{- else -}}
{{- $brokers := list -}}
{{- range $i := until (int $v.broker.replicas) -}}
{{- $brokers = append $brokers (printf "http://%s-broker-%d.%s-broker-headless:8099" $name $i $name) -}}
{{- end -}}
{{- $_ := set $s "controller.brokers" (join "," $brokers) -}}
{{- end -}}
{{- else if eq .role "cleaner" -}}
{{- $_ := set $s "engine.cleaner.port" "9100" -}}
{{- end -}}
{{- /* Not `merge`, which drops values such as false, 0 and an empty text. */ -}}
{{- range list $v.settings (index $v .role).settings -}}
{{- range $key, $value := . -}}
{{- /* The numbers of a values file are floats, which Go writes as 1e+06 from a million on. */ -}}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = printf "%.0f" $value }}{{ end -}}
{{- $_ := set $s $key $value -}}
{{- end -}}
{{- end -}}
{{- range $key, $value := $s }}
{{ $key }} = {{ $value | toString | replace "\\" "\\\\" }}
{{- end -}}
{{- end -}}

{{/* A container of a role, with its probes, mounts and security. */}}
{{- define "quire.pod" -}}
{{- $root := .root -}}
{{- $v := $root.Values -}}
{{- $name := include "quire.name" $root -}}
{{- $own := index $v .role -}}
{{- $port := index (dict "broker" 8099 "proxy" 8080 "controller" 9000 "cleaner" 9100) .role -}}
{{- $needsStore := has .role (list "broker" "cleaner") -}}
{{- $hasTables := and $v.tables.enabled (has .role (list "broker" "controller")) -}}
metadata:
  labels: {{- include "quire.labels" . | nindent 4 }}
  annotations:
    # Changes of live settings take effect without a restart; others need one.
    checksum/settings: {{ include "quire.settings" . | sha256sum }}
    {{- with $own.annotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ $name }}
  automountServiceAccountToken: false
  {{- with $v.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  # Longer than the grace period of the settings for running calls.
  terminationGracePeriodSeconds: {{ add (int $v.broker.shutdownGraceSeconds) 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with $own.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels: {{- include "quire.selector" . | nindent 16 }}
  containers:
    - name: quire
      image: {{ printf "%s:%s" $v.image.repository (default $root.Chart.AppVersion $v.image.tag) | quote }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      {{- if eq .role "cleaner" }}
      args: [cleaner, --config, /etc/quire/quire.properties]
      {{- else }}
      args: [start, --roles, {{ ternary "controller,server" .role (and (eq .role "controller") $v.tables.enabled) | quote }}, --config, /etc/quire/quire.properties]
      {{- end }}
      env:
        - name: POD_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        {{- if eq .role "broker" }}
        # The id of a broker, under which its results are filed.
        - { name: ENGINE_BROKER_HOST_NAME, value: $(POD_NAME).{{ $name }}-broker-headless }
        {{- else }}
        - { name: ENGINE_BROKER_HOST_NAME, value: $(POD_NAME) }
        {{- end }}
        {{- with $v.tracing.endpoint }}
        - { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
        - { name: OTEL_SERVICE_NAME, value: {{ printf "%s-%s" $name $.role | quote }} }
        - { name: OTEL_TRACES_SAMPLER, value: parentbased_traceidratio }
        - { name: OTEL_TRACES_SAMPLER_ARG, value: {{ $v.tracing.ratio | quote }} }
        {{- end }}
      {{- if and $needsStore $v.store.existingSecret }}
      envFrom:
        - secretRef: { name: {{ $v.store.existingSecret }} }
      {{- end }}
      ports:
        - { name: http, containerPort: {{ $port }} }
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
      livenessProbe:
        {{- if eq .role "cleaner" }}
        # Its health reports whether it can access the store, which a restart cannot repair.
        tcpSocket: { port: http }
        {{- else }}
        httpGet: { path: /health, port: http }
        {{- end }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      resources: {{- toYaml $own.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        # Directories, because a mounted file is not updated when it is replaced.
        - { name: settings, mountPath: /etc/quire, readOnly: true }
        - { name: temp, mountPath: /var/tmp/quire }
        {{- range $principal, $each := $v.principals }}
        - { name: {{ printf "token-%s" $principal }}, mountPath: {{ printf "/run/secrets/quire/%s" $principal }}, readOnly: true }
        {{- end }}
        {{- if and $needsStore (not (include "quire.hasBucket" $root)) }}
        - { name: results, mountPath: /var/lib/quire }
        {{- end }}
        {{- if $hasTables }}
        - { name: tables, mountPath: /var/lib/quire-tables }
        {{- end }}
  volumes:
    - name: settings
      configMap: { name: {{ $name }}-{{ .role }} }
    - name: temp
      emptyDir:
        sizeLimit: {{ if eq .role "broker" }}{{ $v.broker.spillSize }}{{ else }}1Gi{{ end }}
    {{- range $principal, $each := $v.principals }}
    - name: {{ printf "token-%s" $principal }}
      secret: { secretName: {{ $each.existingSecret }}, defaultMode: 0440 }
    {{- end }}
    {{- if $hasTables }}
    - name: tables
      persistentVolumeClaim: { claimName: {{ default (printf "%s-tables" $name) $v.tables.existingClaim }} }
    {{- end }}
{{- end -}}

{{- define "quire.check" -}}
{{- $v := .Values -}}
{{- if and (include "quire.hasBucket" .) (not $v.store.uri) -}}{{- fail "store.uri is empty: with store.protocol other than file it names the bucket, such as s3://bucket/prefix." -}}{{- end -}}
{{- $scheme := get (dict "s3" "s3://" "gcs" "gs://" "azure" "az://") $v.store.protocol -}}
{{- if not (hasPrefix $scheme $v.store.uri) -}}{{- fail (printf "store.uri is %s: with store.protocol %s it starts with %s." $v.store.uri $v.store.protocol $scheme) -}}{{- end -}}
{{- if and (not (include "quire.hasBucket" .)) $v.store.uri -}}{{- fail "store.uri is set: with store.protocol file results are in the volumes of the brokers." -}}{{- end -}}
{{- if and (not (include "quire.hasBucket" .)) $v.broker.autoscaling.enabled -}}{{- fail "broker.autoscaling.enabled needs a bucket: a broker that keeps results in files cannot go without them." -}}{{- end -}}
{{- if and $v.broker.autoscaling.enabled (lt (int $v.broker.autoscaling.maxReplicas) (int $v.broker.replicas)) -}}{{- fail (printf "broker.autoscaling.maxReplicas is %d: expected at least broker.replicas, which is %d." (int $v.broker.autoscaling.maxReplicas) (int $v.broker.replicas)) -}}{{- end -}}
{{- if and (not (include "quire.hasBucket" .)) $v.cleaner.enabled -}}{{- fail "cleaner.enabled needs a bucket: brokers that keep results in files clean up themselves." -}}{{- end -}}
{{- /* Services, probes and the termination of pods depend on these. */ -}}
{{- range $given := list $v.settings $v.broker.settings $v.proxy.settings $v.controller.settings $v.cleaner.settings -}}
{{- range $key := list "engine.broker.client.queryPort" "proxy.port" "controller.port" "engine.cleaner.port" -}}
{{- if hasKey $given $key -}}{{- fail (printf "settings have %s, which the chart sets." $key) -}}{{- end -}}
{{- end -}}
{{- if hasKey $given "engine.broker.shutdown.grace" -}}{{- fail "settings have engine.broker.shutdown.grace: set broker.shutdownGraceSeconds instead." -}}{{- end -}}
{{- end -}}
{{- $operator := get $v.principals $v.operator -}}
{{- if not $operator -}}{{- fail (printf "operator is %s: expected the name of one of the principals." $v.operator) -}}{{- end -}}
{{- if ne $operator.role "admin" -}}{{- fail (printf "operator is %s: expected a principal with the role admin." $v.operator) -}}{{- end -}}
{{- end -}}
